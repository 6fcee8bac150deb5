/**
 * Replay of a stream that holds 150 MB of script results, page by page: the memory that it adds. The pages are made as
 * they are read, as a journal would read them; only live memory counts, so garbage is collected before each look.
 */
import { replayRequest } from "@promptfold/replay";
import { printTable } from "./measure.mjs";

const results = 1_500;
const resultBytes = 100_000;
const pageSize = 100;
const mostMegabytes = 64;

function* stream() {
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
  for (const event of stream()) {
    // What a journal does: from text to event.
    const text = JSON.stringify(event);
    bytes += text.length;
    page.push(JSON.parse(text));
    if (page.length < pageSize) continue;
    yield page;
    page = [];
    peak = Math.max(peak, used());
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
printTable("Memory of a replay", [
  {
    claim: `${Math.round(bytes / 1e6)} MB in ${offset.toLocaleString("en")} events, ${messages.length.toLocaleString("en")} messages`,
    "added at most": `${added.toFixed(1)} MB`,
    target: `< ${mostMegabytes} MB`,
    met: added < mostMegabytes ? "yes" : "NO",
  },
]);
