/**
 * Replays a stream that holds 150 MB of script results, page by page, and prints how much memory that adds. The pages
 * are made as they are read, as a journal would read them.
 *
 *     node --expose-gc packages/replay/bench/replay-memory.mjs
 */
import { performance } from "node:perf_hooks";
import { replayRequest } from "@promptfold/replay";

const RESULTS = 1500;
const RESULT_BYTES = 100_000;
const PAGE = 100;

function* stream() {
  let offset = 0;
  const event = (type, payload) => ({
    offset: ++offset,
    type,
    payload,
    createdAt: new Date(1.77e12 + offset * 1000).toISOString(),
  });
  yield event("agents/context-added", { role: "system", key: "persona", content: "You are Ada." });
  for (let result = 0; result < RESULTS; result++) {
    const executionId = `agent-output:${result}`;
    yield event("agents/context-added", { role: "user", content: `question ${result}` });
    yield event("agent/llm-request-requested", { model: "m" });
    yield event("capability-host/script-run-requested", { executionId, code: "return 1" });
    // A text of its own each time, so that nothing is shared.
    const text = `${result} `.repeat(Math.ceil(RESULT_BYTES / `${result} `.length));
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
  let page = [];
  for (const event of stream()) {
    // What a journal does: text to event.
    const text = JSON.stringify(event);
    bytes += text.length;
    page.push(JSON.parse(text));
    if (page.length === PAGE) {
      yield page;
      page = [];
      peak = Math.max(peak, used());
    }
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
const start = performance.now();
const offset = 1 + RESULTS * 5 - 3;
const replayed = await replayRequest(pages(), offset);
const milliseconds = performance.now() - start;
const megabytes = (count) => `${(count / 1e6).toFixed(1)} MB`;
console.log(`stream    ${megabytes(bytes)} in ${offset} events, pages of ${PAGE}`);
console.log(`request   opened ${replayed.opened}, ${replayed.messages.length} messages`);
console.log(`memory    ${megabytes(peak - before)} added at the most (limit 64 MB)`);
console.log(`time      ${(milliseconds / 1000).toFixed(1)} s, garbage collections included`);
if (peak - before > 64e6 || !replayed.opened) process.exitCode = 1;
