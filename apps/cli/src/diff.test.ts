import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mappingIds } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { promptfold } from "./testing/run-in-process.ts";
import { temporaryFolder } from "./testing/run-promptfold.ts";

/** A file of a stream with three requests, @3, @7 and @11, of which a rewrite parts the last from the others. */
function eventsFile(mapping: string): string {
  const entries: readonly [type: string, payload: object][] = [
    ["agents/context-added", { role: "system", key: "tone", content: "Be kind." }],
    ["agents/context-added", { role: "user", content: "first question" }],
    ["agent/llm-request-requested", { model: "m", mapping }],
    ["agents/context-added", { role: "assistant", content: "an answer", llmRequestOffset: 3 }],
    ["agent/llm-request-settled", { requestOffset: 3, result: { status: "succeeded" } }],
    ["agents/context-added", { role: "user", content: "second question" }],
    ["agent/llm-request-requested", { model: "m", mapping }],
    ["agent/llm-request-settled", { requestOffset: 7, result: { status: "succeeded" } }],
    ["agents/context-rewritten", { op: "replace", key: "tone", content: "Be brief." }],
    ["agents/context-added", { role: "user", content: "third question" }],
    ["agent/llm-request-requested", { model: "m", mapping }],
  ];
  const lines = entries.map(([type, payload], index) => {
    const createdAt = new Date(Date.UTC(2026, 2, 2, 9, 0, index)).toISOString();
    return JSON.stringify({ offset: index + 1, type, payload, createdAt });
  });
  const file = join(temporaryFolder(), "events.jsonl");
  writeFileSync(file, lines.join("\n"));
  return file;
}

describe.each(mappingIds)("promptfold diff of requests to %s", (mapping) => {
  it("shows only what is new after the place where the cache ends", async () => {
    const { stdout } = await promptfold([
      "diff",
      "--events",
      eventsFile(mapping),
      "--from",
      "3",
      "--to",
      "7",
    ]);
    expect(stdout).toContain("Request @3 is a prefix of request @7.");
    expect(stdout).toContain("Both begin with 4 messages:");
    const [before, after] = stdout.split("the cache ends here");
    expect(before).not.toContain("[3]");
    expect(after).toMatch(/\[4\] assistant @4\n│ an answer\n\n\[5\] user @6\n/);
    expect(after).not.toContain("the stamp of request @3");
  });

  it("names the message in which they part, and shows the text around that place", async () => {
    const { stdout } = await promptfold(["diff", "--events", eventsFile(mapping)]);
    expect(stdout).toContain("They part in message [1] (system, the standing document, 1 section), at");
    expect(stdout).toMatch(/^- ".*<section key=\\"tone\\">\\nBe kind\.\\n<\/section>"$/m);
    expect(stdout).toMatch(/^\+ ".*<section key=\\"tone\\">\\nBe brief\.\\n<\/section>"$/m);
  });

  it("gives the same as JSON", async () => {
    const { stdout } = await promptfold(["diff", "--events", eventsFile(mapping), "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      held: false,
      sharedMessages: 1,
      firstDifference: { message: 1, previous: { from: { offset: 1 } }, next: { from: { offset: 9 } } },
      brokenBy: [{ offset: 9, kind: "rewrite" }],
    });
  });
});
