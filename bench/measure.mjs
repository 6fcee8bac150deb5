/** A named piece of work; it returns what it made, so that nothing can be optimised away. */
/** @typedef {{ name: string, run: () => unknown }} Contender */

/** @type {unknown} What the last run returned. */
let sink;

/**
 * Runs contenders in turn, A B C A B C …, so that a machine that drifts drifts for all, and gives each one's median
 * milliseconds. The first rounds warm up and do not count.
 *
 * @param {readonly Contender[]} contenders
 * @param {{ rounds?: number, warmup?: number }} [options]
 * @returns {Map<string, number>} median milliseconds by name
 */
export function measure(contenders, { rounds = 15, warmup = 5 } = {}) {
  /** @type {Map<string, number[]>} */
  const times = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = -warmup; round < rounds; round++) {
    for (const { name, run } of contenders) {
      globalThis.gc?.();
      const start = performance.now();
      sink = run();
      if (sink === undefined) throw new Error(`"${name}" returned nothing to show that it worked`);
      if (round >= 0) times.get(name)?.push(performance.now() - start);
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}

/** @param {readonly number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
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
