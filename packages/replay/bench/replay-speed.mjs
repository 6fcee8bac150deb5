/**
 * Replays a stream of 100,000 events (83 MB of JSON lines) at three offsets, beside reading the same bytes from the
 * file, as text. Medians, interleaved.
 *
 *     node packages/replay/bench/replay-speed.mjs
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { TextDecoder } from "node:util";
import { replayRequest, replayState, takeSnapshot } from "@promptfold/replay";

const EVENTS = 100_000;
const ROUNDS = 5;
const CHUNK = 1 << 20;
const decoder = new TextDecoder();

function writeStream(path) {
  const file = openSync(path, "w");
  const text = "The quick brown fox jumps over the lazy dog, and so on. ".repeat(28);
  let offset = 0;
  let lines = "";
  const add = (type, payload) => {
    const createdAt = new Date(1.77e12 + ++offset * 1000).toISOString();
    lines += `${JSON.stringify({ offset, type, payload, createdAt })}\n`;
    if (lines.length > CHUNK || offset === EVENTS) {
      writeSync(file, lines);
      lines = "";
    }
    return offset;
  };
  add("agents/context-added", { role: "system", key: "persona", content: "You are Ada." });
  while (offset < EVENTS) {
    add("agents/context-added", { role: "user", content: `${offset} ${text}` });
    const requestOffset = add("agent/llm-request-requested", { model: "m" });
    add("agents/context-added", {
      role: "assistant",
      content: `${offset} ${text}`,
      llmRequestOffset: requestOffset,
    });
    add("agent/llm-request-settled", { requestOffset, result: { status: "succeeded" } });
  }
  closeSync(file);
}

/** The file's text in pieces of whole lines, up to a number of lines. */
function* pieces(path, lines) {
  const file = openSync(path, "r");
  const buffer = new Uint8Array(CHUNK);
  let rest = "";
  let count = 0;
  try {
    for (;;) {
      const length = readSync(file, buffer);
      if (length === 0) return;
      const text = rest + decoder.decode(buffer.subarray(0, length), { stream: true });
      const end = text.lastIndexOf("\n") + 1;
      rest = text.slice(end);
      const piece = text.slice(0, end);
      yield piece;
      for (let at = piece.indexOf("\n"); at !== -1; at = piece.indexOf("\n", at + 1)) count++;
      if (count >= lines) return;
    }
  } finally {
    closeSync(file);
  }
}

async function* pages(path, lines) {
  for (const piece of pieces(path, lines)) {
    yield piece
      .split("\n", piece.length)
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const folder = mkdtempSync(join(tmpdir(), "promptfold-"));
try {
  const path = join(folder, "stream.jsonl");
  writeStream(path);
  await replayState(pages(path, 20_000), 20_000); // a cold process measures the compiler
  console.log("offset       read ms   replay ms   ratio   from a snapshot 100 events before, ms");
  for (const offset of [999, 19_999, 98_999]) {
    const read = [];
    const replay = [];
    const fromSnapshot = [];
    const snapshot = takeSnapshot(await replayState(pages(path, offset), offset - 100));
    const tail = [];
    for await (const page of pages(path, offset))
      tail.push(...page.filter((event) => event.offset > offset - 100 && event.offset <= offset));
    for (let round = 0; round < ROUNDS; round++) {
      let start = performance.now();
      let bytes = 0;
      for (const piece of pieces(path, offset)) bytes += piece.length;
      read.push(performance.now() - start);
      start = performance.now();
      const { opened } = await replayRequest(pages(path, offset), offset);
      replay.push(performance.now() - start);
      start = performance.now();
      await replayRequest(() => tail, offset, { snapshot });
      fromSnapshot.push(performance.now() - start);
      if (!opened || bytes === 0) throw new Error(`offset ${offset} opened no request`);
    }
    const [a, b, c] = [median(read), median(replay), median(fromSnapshot)];
    console.log(
      `${String(offset).padStart(6)} ${a.toFixed(1).padStart(13)} ${b.toFixed(1).padStart(11)} ${(b / a).toFixed(2).padStart(7)} ${c.toFixed(1).padStart(12)}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
