/** A named piece of work; it returns what it made, so that nothing can be optimised away. */
/** @typedef {{ name: string, run: () => unknown }} Contender */

/**
 * How to measure. `repeat` runs make one sample, for work too short for the clock. Garbage is collected before each
 * sample, unless it repeats or `collect` is false: collecting also throws away what the engine knows about objects that are short-lived, and
 * short work would then be measured cold. The `cpu` clock counts the time that the process itself computed, garbage
 * collection and compilation included: it is deaf to waiting for other processes, though not to caches shared with
 * them. Work that waits for a disk or a server needs the `wall` clock.
 *
 * @typedef {{ rounds?: number, warmup?: number, repeat?: number, clock?: "wall" | "cpu", collect?: boolean }} MeasureOptions
 */

/** Milliseconds of one run: the median of the samples and the least of them; `cpu` is this process's part of a median. */
/** @typedef {{ median: number, min: number, cpu?: number }} Timing */

/** @type {unknown} What the last run returned. */
let sink;

/**
 * Runs contenders in turn, so that a machine that drifts drifts for all, and gives each one's median
 * milliseconds. The first rounds warm up and do not count.
 *
 * @param {readonly Contender[]} contenders
 * @param {MeasureOptions} [options]
 * @returns {Map<string, number>} median milliseconds by name
 */
export function measure(contenders, options) {
  return new Map([...time(contenders, options)].map(([name, { median: value }]) => [name, value]));
}

/**
 * Runs contenders as {@link measure} does, and gives the least time beside the median: where the two lie far apart, the
 * machine was busy and a ratio means little.
 *
 * @param {readonly Contender[]} contenders
 * @param {MeasureOptions} [options]
 * @returns {Map<string, Timing>}
 */
export function time(
  contenders,
  { rounds = 15, warmup = 5, repeat = 1, clock = "wall", collect = repeat === 1 } = {},
) {
  const now = clock === "cpu" ? cpuMilliseconds : wallMilliseconds;
  const samples = emptySamples(contenders);
  for (let round = -warmup; round < rounds; round++) {
    for (const { name, run } of turns(contenders, round + warmup)) {
      if (collect) globalThis.gc?.();
      const start = now();
      for (let count = 0; count < repeat; count++) sink = run();
      const elapsed = now() - start;
      if (sink === undefined) throw new Error(`"${name}" returned nothing to show that it worked`);
      if (round >= 0) samples.get(name)?.push(elapsed / repeat);
    }
  }
  return timings(samples);
}

/**
 * {@link time} for work that is asynchronous. By the wall clock, for work that waits for a disk or a server, what this
 * process computed for it comes along as `cpu`: a busy disk does not blur that.
 *
 * @param {readonly { name: string, run: () => Promise<unknown> }[]} contenders
 * @param {MeasureOptions} [options]
 * @returns {Promise<Map<string, Timing>>}
 */
export async function timeAsync(
  contenders,
  { rounds = 15, warmup = 5, repeat = 1, clock = "wall", collect = repeat === 1 } = {},
) {
  const wall = emptySamples(contenders);
  const cpu = emptySamples(contenders);
  for (let round = -warmup; round < rounds; round++) {
    for (const { name, run } of turns(contenders, round + warmup)) {
      if (collect) globalThis.gc?.();
      const cpuStart = cpuMilliseconds();
      const start = wallMilliseconds();
      for (let count = 0; count < repeat; count++) sink = await run();
      const elapsed = wallMilliseconds() - start;
      const computed = cpuMilliseconds() - cpuStart;
      if (sink === undefined) throw new Error(`"${name}" returned nothing to show that it worked`);
      if (round < 0) continue;
      wall.get(name)?.push(elapsed / repeat);
      cpu.get(name)?.push(computed / repeat);
    }
  }
  const computed = timings(cpu);
  if (clock === "cpu") return computed;
  return new Map(
    [...timings(wall)].map(([name, timing]) => [name, { ...timing, cpu: computed.get(name)?.median ?? 0 }]),
  );
}

/**
 * Each round begins with another contender: who always came after one would always pay for what that one left behind,
 * garbage to collect or a disk still writing.
 *
 * @template Each
 * @param {readonly Each[]} contenders
 * @param {number} round from 0
 */
function turns(contenders, round) {
  const first = round % contenders.length;
  return [...contenders.slice(first), ...contenders.slice(0, first)];
}

function wallMilliseconds() {
  return performance.now();
}

function cpuMilliseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * @param {readonly { name: string }[]} contenders
 * @returns {Map<string, number[]>}
 */
function emptySamples(contenders) {
  return new Map(contenders.map(({ name }) => [name, []]));
}

/**
 * The timing of samples that were taken elsewhere.
 *
 * @param {readonly number[]} samples
 * @returns {Timing}
 */
export function timingOf(samples) {
  return { median: median(samples), min: Math.min(...samples) };
}

/**
 * What was measured under a name. Throws where nothing was: a misspelt name must not look like a result.
 *
 * @template Measured
 * @param {ReadonlyMap<string, Measured>} times
 * @param {string} name
 * @returns {Measured}
 */
export function named(times, name) {
  const found = times.get(name);
  if (found === undefined)
    throw new Error(`nothing was measured as "${name}"; there are ${[...times.keys()].join(", ")}`);
  return found;
}

/** @param {ReadonlyMap<string, readonly number[]>} samples */
function timings(samples) {
  return new Map([...samples].map(([name, values]) => [name, timingOf(values)]));
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * A claim about cost: `ours` takes at most `most` times what `theirs` takes, or is at least `fasterBy` times faster.
 *
 * @typedef {{ claim: string, ours: Timing, theirs: Timing, most?: number, fasterBy?: number }} Claim
 */

/**
 * Prints claims with what was measured: medians, with the least times in brackets, the ratio of the medians and that of
 * the least times (and of this process's CPU time, where it was measured), the target, and whether the medians met it.
 *
 * @param {string} title
 * @param {readonly Claim[]} claims
 */
export function printClaims(title, claims) {
  printTable(
    title,
    claims.map(({ claim, ours, theirs, most, fasterBy }) => {
      const [above, below] = fasterBy === undefined ? [ours, theirs] : [theirs, ours];
      const ratio = above.median / below.median;
      const met = fasterBy === undefined ? ratio <= (most ?? Infinity) : ratio >= fasterBy;
      const target = fasterBy === undefined ? `<= ${most ?? ""}x` : `>= ${fasterBy}x faster`;
      return {
        claim,
        "ours (least)": formatTiming(ours),
        "theirs (least)": formatTiming(theirs),
        "ratio (of least)": `${ratio.toFixed(2)} (${(above.min / below.min).toFixed(2)})`,
        ...(above.cpu === undefined || below.cpu === undefined
          ? {}
          : { "of CPU": (above.cpu / below.cpu).toFixed(2) }),
        target: most === undefined && fasterBy === undefined ? "-" : target,
        met: most === undefined && fasterBy === undefined ? "" : met ? "yes" : "NO",
      };
    }),
  );
}

/** @param {Timing} timing */
function formatTiming({ median: value, min }) {
  return `${formatDuration(value)} (${formatDuration(min)})`;
}

/** @param {number} milliseconds */
export function formatDuration(milliseconds) {
  if (milliseconds < 0.001) return `${(milliseconds * 1e6).toFixed(0)} ns`;
  return milliseconds < 1 ? `${(milliseconds * 1000).toFixed(1)} µs` : `${milliseconds.toFixed(2)} ms`;
}

/**
 * Prints rows under a title, columns aligned.
 *
 * @param {string} title
 * @param {readonly Readonly<Record<string, string>>[]} rows
 */
export function printTable(title, rows) {
  const columns = Object.keys(rows[0] ?? {});
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (/** @type {readonly string[]} */ cells) =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join("  ");
  console.log(`\n${title}`);
  console.log(line(columns));
  for (const row of rows) console.log(line(columns.map((column) => row[column] ?? "")));
}
