import assert from "node:assert/strict";
import { it } from "vitest";
import { openJournal } from "./open-journal.ts";

it("a stream's name or a prefix without its slash is told how to write it", async () => {
  const journal = await openJournal("memory:");
  await assert.rejects(journal.head("agents/demo"), {
    message: 'the stream name "agents/demo" does not start with "/"; write "/agents/demo"',
  });
  assert.throws(() => journal.subscribe({ prefix: "a".repeat(500) }), {
    message: `the stream name "${"a".repeat(80)}…" does not start with "/"; write "/${"a".repeat(79)}…"`,
  });
  await journal.close();
});
