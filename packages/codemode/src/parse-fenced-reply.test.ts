import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fenceText } from "./fence-text.ts";
import { parseFencedReply } from "./parse-fenced-reply.ts";
import { anyReply } from "./testing/any-reply.ts";

const code = "async (host) => {\n  return 1;\n}";

test.each([
  ["alone", `\`\`\`ts\n${code}\n\`\`\``, { kind: "script", code, wrap: false }],
  [
    "between prose",
    `A.\n\n\`\`\`ts\n${code}\n\`\`\`\n\nB.`,
    { kind: "script", code, wrap: false, prose: "A.\n\nB." },
  ],
  [
    "with CRLF",
    `\`\`\`ts\r\n${code.replaceAll("\n", "\r\n")}\r\n\`\`\`\r\n`,
    { kind: "script", code, wrap: false },
  ],
  [
    "named in full, with more words",
    "```TypeScript title=x\nreturn 1\n```",
    { kind: "script", code: "return 1", wrap: true },
  ],
  ["indented", "  ```ts\n  return 1\n  ```", { kind: "script", code: "return 1", wrap: true }],
  ["in tildes", "~~~ts\nreturn 1\n~~~", { kind: "script", code: "return 1", wrap: true }],
  [
    "in a longer fence",
    "````ts\nreturn `\n```\n`\n````",
    { kind: "script", code: "return `\n```\n`", wrap: true },
  ],
  [
    "beside another block",
    "```json\n{}\n```\n```ts\nreturn 1\n```",
    { kind: "script", code: "return 1", wrap: true, prose: "```json\n{}\n```" },
  ],
])("a script %s", (_name, text, expected) => {
  expect(parseFencedReply(text)).toEqual(expected);
});

test.each([
  ["nothing", " \n", { kind: "none" }],
  ["prose", "Done.\n", { kind: "none", prose: "Done." }],
  ["another language", "```js\nreturn 1\n```", { kind: "none", prose: "```js\nreturn 1\n```" }],
  ["a mention in mid-line", "Use ```ts blocks.", { kind: "none", prose: "Use ```ts blocks." }],
  [
    "a block in a block",
    "````md\n```ts\nx\n```\n````",
    { kind: "none", prose: "````md\n```ts\nx\n```\n````" },
  ],
])("no script: %s", (_name, text, expected) => {
  expect(parseFencedReply(text)).toEqual(expected);
});

describe("replies of which nothing is run", () => {
  test.each([
    ["two scripts", "```ts\nreturn 1\n```\n```ts\nreturn 2\n```", "multiple", "on lines 1, 4"],
    ["no end", "Look:\n```ts\nreturn 1", "malformed", "line 2 opens a block that no line closes"],
    ["no code", "```ts\n\n```", "malformed", "line 1 opens a block without code"],
    ["a fence inside the code", "```ts\nreturn `\n```\n`\n```\n", "malformed", "line 5 opens a fence"],
  ])("%s", (_name, text, kind, feedback) => {
    const reply = parseFencedReply(text);
    expect(reply).toMatchObject({ kind });
    expect("feedback" in reply && reply.feedback).toContain(feedback);
    expect("feedback" in reply && reply.feedback).toContain("```ts\nasync (host)");
  });

  test("one that was cut off", () => {
    expect(parseFencedReply("```ts\nreturn 1\n```", { finishReason: "max_tokens" })).toMatchObject({
      kind: "truncated",
    });
  });
});

test("any code in a long enough fence comes out as it went in", () => {
  fc.assert(
    fc.property(anyReply, (text) => {
      const inside = text.replaceAll("\r\n", "\n").trim();
      const reply = parseFencedReply(`Before.\n${fenceText(text, "ts")}\nAfter.`);
      if (inside === "") expect(reply.kind).toBe("malformed");
      else expect(reply).toMatchObject({ kind: "script", code: inside, prose: "Before.\n\nAfter." });
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["`".repeat(1_000_000), "none"],
  ["```ts\n".repeat(100_000), "malformed"],
  ["```\n".repeat(150_000), "none"],
  [`\`\`\`${" ".repeat(1_000_000)}x`, "none"],
])("hostile text is read to its end (%#)", (text, kind) => {
  expect(parseFencedReply(text).kind).toBe(kind);
});
