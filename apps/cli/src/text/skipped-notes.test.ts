import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { promptfold } from "../testing/run-in-process.ts";
import { temporaryFolder } from "../testing/run-promptfold.ts";

const hello = ["agents/context-added", { role: "user", content: "hello" }] as const;
const request = ["agent/llm-request-requested", { model: "m" }] as const;
const malformed = ["agents/context-added", { role: "user" }] as const;

/** A folder with a file of events. */
function folderWith(entries: readonly (readonly [type: string, payload: object])[]): string {
  const cwd = temporaryFolder();
  const createdAt = "2026-03-02T09:00:00.000Z";
  const lines = entries.map(([type, payload], index) =>
    JSON.stringify({ offset: index + 1, type, createdAt, payload }),
  );
  writeFileSync(join(cwd, "events.jsonl"), lines.join("\n"));
  return cwd;
}

const calls = [
  ["request"],
  ["request", "--json"],
  ["diff", "--from", "1", "--to"],
  ["rules"],
  ["state"],
  ["state", "--json"],
];

it.each(calls)(
  "%s %s tells skipped events once for each type and kind, with their number",
  async (...call) => {
    const rain = ["garden/rain-fell", {}] as const;
    const sun = ["garden/sun-shone", {}] as const;
    const cwd = folderWith([hello, rain, malformed, rain, malformed, sun, rain, request]);
    const to = call[0] === "diff" ? ["8"] : [];
    const { stderr, exitCode } = await promptfold([...call, ...to, "--events", "events.jsonl"], { cwd });
    expect(exitCode).toBe(0);
    const notes = stderr.split("\n").filter((line) => line.includes("skipped"));
    expect(notes).toEqual([
      expect.stringMatching(
        /^note: events\.jsonl@3: 2 malformed events agents\/context-added skipped, the first here: payload\.content: /,
      ),
      "note: events.jsonl@2: 3 unknown events garden/rain-fell skipped, the first here",
      "note: events.jsonl@6: unknown event garden/sun-shone skipped",
    ]);
  },
);

it.each(calls)(
  "%s %s counts skipped events that are too many to be listed, and floods nobody",
  async (...call) => {
    const many = Array.from({ length: 2_500 }, (_, index) => [`garden/type-${index}`, {}] as const);
    const cwd = folderWith([hello, ...many, request]);
    const to = call[0] === "diff" ? ["2502"] : [];
    const { stderr } = await promptfold([...call, ...to, "--events", "events.jsonl"], { cwd });
    const notes = stderr.split("\n").filter((line) => line.includes("skipped"));
    expect(notes).toHaveLength(22);
    expect(notes.slice(-2)).toEqual([
      "note: events.jsonl: 980 events of 980 other types skipped as well",
      "note: events.jsonl: 1,500 more events skipped after @1001, 2,500 in all; their types are not listed",
    ]);
  },
);
