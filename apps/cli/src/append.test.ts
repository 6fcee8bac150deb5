import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { shownUrl } from "./input/journal-input.ts";
import { promptfold } from "./testing/run-in-process.ts";
import { temporaryFolder } from "./testing/run-promptfold.ts";

it("tells an author what nothing is bound to before it reaches an agent", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "prompt.md"), "Hello $prefered, costs $$5.\n");
  const args = ["append", "--journal", "sqlite:a.db", "--stream", "/agents/x", "--prompt", "prompt.md"];
  const { exitCode, stdout, stderr } = await promptfold(args, { cwd });
  expect(exitCode).toBe(0);
  expect(stdout).toBe("/agents/x: 3 events, @1 to @3\n");
  expect(stderr).toBe(
    "note: prompt.md:1:7: nothing is bound to $prefered; it stays as it is (give it with --set)\n",
  );
});

it("shows no control character of an event that is skipped", async () => {
  const cwd = temporaryFolder();
  const createdAt = "2026-03-02T09:00:00.000Z";
  const events = [
    { offset: 1, type: "agents/context-added", payload: { role: "user", content: "hi" }, createdAt },
    { offset: 2, type: "x/\u001b[31mred", payload: {}, createdAt },
  ];
  writeFileSync(join(cwd, "events.jsonl"), events.map((event) => JSON.stringify(event)).join("\n"));
  const { exitCode, stderr } = await promptfold(["request", "--events", "events.jsonl", "--at", "2"], {
    cwd,
  });
  expect(exitCode).toBe(0);
  expect(stderr).toContain("unknown event x/");
  expect(stderr).not.toContain("\u001b");
});

it.each([
  ["postgres://app:secret@db.internal/agents", "postgres://app:***@db.internal/agents"],
  ["postgres://app@db.internal/agents", "postgres://app@db.internal/agents"],
  ["sqlite:a:b@c.db", "sqlite:a:b@c.db"],
])("shows %s as %s", (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});
