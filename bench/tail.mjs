/**
 * The live tail: how long after an append was acknowledged in one process the event reaches a subscriber in another, on
 * SQLite and on PostgreSQL; and how many events a second such a subscriber keeps up with.
 */
import { openJournal } from "@promptfold/journal";
import { startPostgres } from "@promptfold/postgres-server";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { formatDuration, printTable } from "./measure.mjs";

const stream = "/agents/tail";
const singles = 500;
const many = 20_000;
const batch = 100;

/** Milliseconds on a clock that all processes of a machine share. */
function now() {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/**
 * The other process: appends one event at a time with pauses, then as fast as it can, and says when each was acknowledged.
 *
 * @param {string} url
 */
async function write(url) {
  const journal = await openJournal(url);
  const handle = journal.as({ processor: "bench", trust: "inside" });
  const event = (/** @type {number} */ index) => ({
    type: "agents/context-added",
    payload: { role: "user", content: `message ${index}` },
  });
  /** @type {number[]} */
  const acknowledged = [];
  for (let index = 0; index < singles; index++) {
    await handle.append(stream, [event(index)]);
    acknowledged.push(now());
    await sleep(3 + (index % 5));
  }
  const start = now();
  for (let index = 0; index < many; index += batch) {
    await handle.append(
      stream,
      Array.from({ length: batch }, (_, inBatch) => event(index + inBatch)),
    );
  }
  const wrote = now() - start;
  await journal.close();
  process.send?.({ acknowledged, wrote });
}

/**
 * @param {string} name
 * @param {string} url
 */
async function benchTail(name, url) {
  const journal = await openJournal(url);
  const end = new AbortController();
  const writer = fork(fileURLToPath(import.meta.url), [url]);
  const told = once(writer, "message");
  /** @type {number[]} */
  const received = [];
  let [first, last, count] = [0, 0, 0];
  for await (const { offset } of journal.subscribe({ stream }, { signal: end.signal })) {
    const at = now();
    if (offset !== ++count) throw new Error(`event ${offset} came in place of ${count}`);
    if (offset <= singles) received.push(at);
    if (offset === singles + 1) first = at;
    if (offset < singles + many) continue;
    last = at;
    end.abort();
  }
  const [{ acknowledged, wrote }] = /** @type {[{ acknowledged: number[], wrote: number }]} */ (await told);
  await journal.close();
  // An event may be seen before the process that appended it hears so.
  const delays = received.map((at, index) => at - (acknowledged[index] ?? 0)).sort((a, b) => a - b);
  const percentile = (/** @type {number} */ part) =>
    formatDuration(Math.max(0, delays[Math.floor(delays.length * part)] ?? Number.NaN));
  const median = delays[delays.length >> 1] ?? Number.NaN;
  const perSecond = (/** @type {number} */ milliseconds) =>
    Math.round((many / milliseconds) * 1_000).toLocaleString("en");
  return {
    store: name,
    p50: percentile(0.5),
    p95: percentile(0.95),
    p99: percentile(0.99),
    target: "p50 <= 1 ms",
    met: median <= 1 ? "yes" : "NO",
    "appended a second": perSecond(wrote),
    "received a second": perSecond(last - first),
  };
}

async function bench() {
  const folder = mkdtempSync(join(tmpdir(), "promptfold-bench-"));
  const server = await startPostgres();
  try {
    printTable(
      `From one process to another: ${singles} single events, then ${many.toLocaleString("en")} more`,
      [
        await benchTail("SQLite", `sqlite:${join(folder, "journal.db")}`),
        await benchTail(server.version, server.url),
      ],
    );
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const [url] = process.argv.slice(2);
await (url === undefined ? bench() : write(url));
