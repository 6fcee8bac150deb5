import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../testing/run-promptfold.ts";
import { withEvents } from "./event-source.ts";

it.each([
  ["many small events", 600, 10, [256, 256, 88]],
  ["a few large ones", 10, 1_500_000, [3, 3, 3, 1]],
])("reads a file in pages that fit into memory: %s", async (_, count, length, sizes) => {
  const file = join(temporaryFolder(), "events.jsonl");
  const content = "x".repeat(length);
  const lines = Array.from({ length: count }, (__, index) => {
    const payload = { role: "user", content };
    return `${JSON.stringify({ offset: index + 1, type: "agents/context-added", createdAt: "2026-03-02T09:00:00.000Z", payload })}\n`;
  });
  writeFileSync(file, lines.join(""));
  const pages: number[] = [];
  await withEvents({ events: file }, async (source) => {
    for await (const page of source.pages()) pages.push(page.length);
  });
  expect(pages).toEqual(sizes);
});
