import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatDuration } from "./format-duration.ts";
import { parseCodemodeReply } from "./parse-codemode-reply.ts";
import { parseCodemodeStream } from "./parse-codemode-stream.ts";

interface ReplyCase {
  name: string;
  mode: "settled" | "partial";
  input: string;
  finishReason?: string;
  expect: Record<string, unknown>;
}

function readVectors<Case>(name: string): Case[] {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), "utf8")) as Case[];
}

describe("vectors/codemode.json", () => {
  test.each(readVectors<ReplyCase>("codemode.json"))("$mode: $name", (given) => {
    if (given.mode === "partial") {
      expect(parseCodemodeStream(given.input)).toEqual(given.expect);
      return;
    }
    const reply = parseCodemodeReply(given.input, { finishReason: given.finishReason });
    if ("feedback" in reply) {
      const { feedback, ...rest } = reply;
      expect(rest).toEqual(given.expect);
      expect(feedback).toMatch(/run\b/);
    } else {
      expect(reply).toEqual(given.expect);
    }
  });
});

describe("vectors/durations.json", () => {
  test.each(readVectors<{ ms: number; text: string }>("durations.json"))(
    "$ms ms is $text",
    ({ ms, text }) => {
      expect(formatDuration(ms)).toBe(text);
    },
  );
});
