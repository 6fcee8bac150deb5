/**
 * The next request of a conversation at two lengths: appended by a RequestWriter, beside stringifying only its new
 * messages; and the whole request rendered from nothing, beside JSON.stringify of the same body. Medians, interleaved.
 *
 *     node packages/renderer/bench/next-request.mjs
 */
import { parseEvent } from "@promptfold/contract";
import { Buffer } from "node:buffer";
import { foldEvents } from "@promptfold/fold";
import { renderRequest, RequestWriter, verifyPrefix } from "@promptfold/renderer";

const TEXT = 'The quick brown fox jumps over the lazy dog, again and again; "quoted" and\nbroken.\n'.repeat(
  6,
);
const ROUNDS = 41;

function stream(turns) {
  const events = [];
  const add = (type, payload) => {
    const offset = events.length + 1;
    events.push({ offset, type, payload, createdAt: new Date(1.77e12 + offset * 1000).toISOString() });
    return offset;
  };
  for (let key = 0; key < 40; key++) {
    add("agents/context-added", { role: "system", key: `section-${key}`, content: TEXT.repeat(4) });
  }
  for (let turn = 0; turn < turns; turn++) {
    add("agents/context-added", { role: "user", content: TEXT });
    const requestOffset = add("agent/llm-request-requested", { model: "claude-opus-5" });
    add("agents/context-added", { role: "assistant", content: TEXT, llmRequestOffset: requestOffset });
    add("agent/llm-request-settled", { requestOffset, result: { status: "succeeded" } });
  }
  return events;
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function time(work) {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1000;
}

// A running agent's code is warm; a cold one measures the compiler.
for (const mapping of ["openai-chat", "openai-responses", "anthropic-messages", "gemini"]) {
  const writer = new RequestWriter({ mapping, stream: "/agents/bench" });
  for (const event of stream(1000)) {
    addEvent(writer, event);
    writer.write();
  }
}

console.log(
  "mapping               messages   body KB   next µs   new only µs   ratio   full ms   stringify ms   ratio   verify ms",
);
for (const mapping of ["openai-chat", "openai-responses", "anthropic-messages", "gemini"]) {
  for (const messages of [1000, 10_000]) {
    // Three messages a turn: the question, its stamp and the answer.
    const events = stream(Math.floor(messages / 3) + ROUNDS);
    const writer = new RequestWriter({ mapping, stream: "/agents/bench" });
    const next = [];
    const newOnly = [];
    let body = "";
    let previous = "";
    const rest = events.splice(events.length - 4 * ROUNDS);
    for (const event of events) addEvent(writer, event);
    writer.write();
    for (let round = 0; round < ROUNDS; round++) {
      for (const event of rest.slice(4 * round, 4 * round + 2)) addEvent(writer, event);
      let bytes;
      next.push(time(() => (bytes = writer.write().bytes)));
      const added = [
        { role: "assistant", content: TEXT },
        { role: "user", content: TEXT },
        { role: "developer", content: "Requested at: 2026-03-02T09:00:02.000Z" },
      ];
      newOnly.push(time(() => JSON.stringify(added)));
      if (round >= ROUNDS - 2) [previous, body] = [body, Buffer.from(bytes).toString()];
      for (const event of rest.slice(4 * round + 2, 4 * round + 4)) addEvent(writer, event);
    }
    const full = [];
    const stringify = [];
    const verify = [];
    const { state } = foldEvents([...events, ...rest]);
    const parsed = JSON.parse(body);
    for (let round = 0; round < 9; round++) {
      full.push(time(() => renderRequest(state, { mapping })));
      stringify.push(time(() => JSON.stringify(parsed)));
      verify.push(time(() => verifyPrefix(previous, body)));
    }
    const row = [
      median(next),
      median(newOnly),
      median(full) / 1000,
      median(stringify) / 1000,
      median(verify) / 1000,
    ];
    console.log(
      `${mapping.padEnd(20)} ${String(messages).padStart(9)} ${String(Math.round(body.length / 1024)).padStart(9)} ${row[0].toFixed(1).padStart(9)} ${row[1].toFixed(1).padStart(13)} ${(row[0] / row[1]).toFixed(2).padStart(7)} ${row[2].toFixed(2).padStart(9)} ${row[3].toFixed(2).padStart(14)} ${(row[2] / row[3]).toFixed(2).padStart(7)} ${row[4].toFixed(2).padStart(11)}`,
    );
  }
}

function addEvent(writer, stored) {
  const event = parseEvent(stored);
  if (event.kind === "known") writer.add(event.event);
}
