import { parseEvent } from "@promptfold/contract";
import { describe, expect, it } from "vitest";
import { mappingIds, renderRequest, RequestWriter } from "./index.ts";

/** Appends events to a writer, with offsets and times of their own. */
function appender(writer: RequestWriter): (type: string, payload: object) => number {
  let offset = 0;
  return (type, payload) => {
    offset++;
    const createdAt = new Date(Date.parse("2026-03-02T09:00:00.000Z") + offset * 1000).toISOString();
    const parsed = parseEvent({ offset, type, payload, createdAt });
    if (parsed.kind === "known") writer.add(parsed.event);
    return offset;
  };
}

function turn(append: ReturnType<typeof appender>, text: string): void {
  append("agents/context-added", { role: "user", content: text });
  const requestOffset = append("agent/llm-request-requested", { model: "gpt-5.6" });
  append("agents/context-added", {
    role: "assistant",
    content: `answer to ${text}`,
    llmRequestOffset: requestOffset,
  });
  append("agent/llm-request-settled", { requestOffset, result: { status: "succeeded" } });
}

describe.each(mappingIds)("RequestWriter under %s", (mapping) => {
  it("writes what a full render gives, through updates, a rewrite and a compaction", () => {
    const writer = new RequestWriter({ mapping, stream: "/agents/a" });
    const append = appender(writer);
    const check = (): void => {
      const full = JSON.stringify(renderRequest(writer.state, { mapping, stream: "/agents/a" }).body);
      expect(Buffer.from(writer.write().bytes).toString()).toBe(full);
    };
    append("agents/context-added", { role: "system", key: "k", content: "eins 🌱" });
    check();
    append("agents/context-added", { role: "system", key: "k", content: "coalesced" });
    check();
    for (let index = 0; index < 40; index++) {
      turn(append, `${index} ${"é".repeat(index * 50)}`);
      check();
      if (index === 9) append("agents/context-added", { role: "system", key: "k", content: "updated" });
      if (index === 14)
        append("agent/configured", { config: { parameters: { maxOutputTokens: 7, cacheTtl: "1h" } } });
      if (index === 19) append("agents/context-rewritten", { op: "replace", key: "k", content: "rewritten" });
      if (index === 24)
        append("agents/context-added", { role: "system", key: "k", content: "after the rewrite" });
      if (index === 29) {
        append("agents/context-added", {
          role: "developer",
          content: "SUMMARY",
          compaction: { replacesHistoryThrough: 80 },
        });
      }
      check();
    }
  });
});
