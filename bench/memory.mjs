/**
 * Replay of a stream that holds 150 MB of script results, page by page: the memory that it adds. The pages are made as
 * they are read, as a journal would read them; only live memory counts, so garbage is collected before each look. Then
 * the command reads the same amount from a file, in a process whose heap is too small for more.
 */
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayRequest } from "@promptfold/replay";
import { printTable } from "./measure.mjs";

const results = 1_500;
const resultBytes = 100_000;
const pageSize = 100;
const mostMegabytes = 64;

/**
 * @param {number} results
 * @param {number} resultBytes
 */
function* stream(results, resultBytes) {
  let offset = 0;
  const event = (/** @type {string} */ type, /** @type {unknown} */ payload) => ({
    offset: ++offset,
    type,
    payload,
    createdAt: new Date(Date.UTC(2026, 2, 2) + offset * 1_000).toISOString(),
  });
  yield event("agents/context-added", { role: "system", key: "persona", content: "You are Ada." });
  for (let result = 0; result < results; result++) {
    const executionId = `agent-output:${result}`;
    yield event("agents/context-added", { role: "user", content: `question ${result}` });
    yield event("agent/llm-request-requested", { model: "m" });
    yield event("capability-host/script-run-requested", { executionId, code: "return 1" });
    // A text of its own each time, so that nothing is shared.
    const text = `${result} `.repeat(Math.ceil(resultBytes / `${result} `.length));
    yield event("capability-host/script-run-settled", {
      executionId,
      settlement: { status: "succeeded", result: text },
    });
    yield event("agent/llm-request-settled", { requestOffset: offset - 2, result: { status: "succeeded" } });
  }
}

let bytes = 0;
let peak = 0;

async function* pages() {
  /** @type {import("@promptfold/contract").StoredEvent[]} */
  let page = [];
  for (const event of stream(results, resultBytes)) {
    // What a journal does: from text to event.
    const text = JSON.stringify(event);
    bytes += text.length;
    page.push(JSON.parse(text));
    if (page.length < pageSize) continue;
    // With the page that is being folded.
    peak = Math.max(peak, used());
    yield page;
    page = [];
  }
  yield page;
}

function used() {
  globalThis.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

if (globalThis.gc === undefined) throw new Error("run this with --expose-gc: only live memory says anything");
const before = used();
const offset = 1 + results * 5 - 3;
const { opened, messages } = await replayRequest(pages(), offset);
if (!opened) throw new Error("the last request was not opened");
const added = (peak - before) / 1e6;

/** The heap, in MB, that the command needs for a file of a few events. */
const commandMegabytes = 40;

/** Whether `promptfold state` reads 150 results of 1 MB from a file with no more heap than it may add. */
function commandFits() {
  const folder = mkdtempSync(join(tmpdir(), "promptfold-bench-"));
  try {
    const path = join(folder, "events.jsonl");
    const file = openSync(path, "w");
    let lines = 0;
    for (const event of stream(150, 1_000_000)) lines += writeSync(file, `${JSON.stringify(event)}\n`);
    closeSync(file);
    const heap = `--max-old-space-size=${commandMegabytes + mostMegabytes}`;
    const { status } = spawnSync(process.execPath, [heap, command, "state", "--events", path], {
      stdio: "ignore",
    });
    return { bytes: lines, fits: status === 0 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const command = join(import.meta.dirname, "..", "apps", "cli", "bin", "promptfold.js");
const file = commandFits();
printTable("Memory of a replay", [
  {
    claim: `${Math.round(bytes / 1e6)} MB in ${offset.toLocaleString("en")} events, ${messages.length.toLocaleString("en")} messages`,
    "added at most": `${added.toFixed(1)} MB`,
    target: `< ${mostMegabytes} MB`,
    met: added < mostMegabytes ? "yes" : "NO",
  },
  {
    claim: `promptfold state on a file of ${Math.round(file.bytes / 1e6)} MB in lines of 1 MB`,
    "added at most": file.fits ? `< ${mostMegabytes} MB` : "more",
    target: `< ${mostMegabytes} MB`,
    met: file.fits ? "yes" : "NO",
  },
]);
