import { expect, it } from "vitest";
import { checkPrefix, checkStreamName } from "./names.ts";

it("a stream's name without its slash is told how to write it", () => {
  expect(() => {
    checkStreamName("agents/demo");
  }).toThrow('The stream name "agents/demo" does not start with "/"; write "/agents/demo".');
  expect(() => {
    checkPrefix("a".repeat(500));
  }).toThrow(`does not start with "/"; write "/${"a".repeat(79)}…".`);
});
