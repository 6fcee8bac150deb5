import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTime } from "../input/point-in-time.ts";
import { promptfold } from "../testing/run-in-process.ts";
import { temporaryFolder } from "../testing/run-promptfold.ts";

type Entry = readonly [createdAt: string, type: string, payload: object, source?: object];

const request = "agent/llm-request-requested";
const settled = "agent/llm-request-settled";
const usage = "agent/token-usage-reported";
const added = "agents/context-added";
const hello = { role: "user", content: "hello" };

const entries: readonly Entry[] = [
  ["2026-11-23T10:00:00.000Z", added, { role: "system", key: "tone", content: "Be kind." }],
  ["2026-11-23T10:00:01.000Z", added, hello],
  ["2026-11-24T08:30:00.000Z", request, { model: "gpt-5", contractVersion: "1.0.0" }],
  // Asked for in vain: one is open.
  ["2026-11-24T08:30:01.000Z", request, { model: "gpt-5" }],
  ["2026-11-24T08:30:02.000Z", settled, { requestOffset: 3, result: { status: "succeeded" } }],
  [
    "2026-11-24T08:30:02.000Z",
    usage,
    { requestOffset: 3, inputTokens: 3266, outputTokens: 183, cachedInputTokens: 3072 },
  ],
  ["2026-11-24T23:59:59.999Z", added, { role: "system", key: "tone", content: "Be brief." }],
  ["2026-11-25T00:00:00.000Z", added, hello],
  ["2026-11-25T09:00:00.000Z", request, { model: "claude-sonnet-4-5", mapping: "anthropic-messages@1" }],
  [
    "2026-11-25T09:00:01.000Z",
    settled,
    { requestOffset: 9, result: { status: "succeeded" } },
    { processor: "guest", trust: "outside" },
  ],
  [
    "2026-11-25T09:00:02.000Z",
    settled,
    { requestOffset: 9, result: { status: "failed", reason: "HTTP 529: overloaded" } },
  ],
  ["2026-11-25T09:00:10.000Z", request, { model: "acme-1", mapping: "acme-chat@7" }],
];

/** A folder with the events as a file, and in a journal. */
async function folder(events: readonly Entry[] = entries): Promise<string> {
  const cwd = temporaryFolder();
  const lines = events.map(([createdAt, type, payload, source], index) =>
    JSON.stringify({ offset: index + 1, type, createdAt, source, payload }),
  );
  writeFileSync(join(cwd, "events.jsonl"), `${lines.join("\n")}\n`);
  const into = ["--journal", "sqlite:a.db", "--stream", "/agents/a"];
  if (events.length > 0)
    expect(await promptfold(["import", "events.jsonl", ...into], { cwd })).toMatchObject({ exitCode: 0 });
  return cwd;
}

const file = ["--events", "events.jsonl"];
const journal = ["--journal", "sqlite:a.db"];

describe.each([
  ["a file", file, "events.jsonl"],
  ["a journal", journal, "/agents/a"],
])("of the requests in %s", (_, from, name) => {
  it("each that was opened has a line", async () => {
    const { stdout, stderr, exitCode } = await promptfold(["request", ...from, "--list"], {
      cwd: await folder(),
    });
    expect(exitCode).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toBe(
      [
        " @3  2026-11-24T08:30:00.000Z  gpt-5              openai-chat@1         succeeded  3,266 tokens in, 3,072 cached",
        " @9  2026-11-25T09:00:00.000Z  claude-sonnet-4-5  anthropic-messages@1  failed                                    HTTP 529: overloaded",
        "@12  2026-11-25T09:00:10.000Z  acme-1             acme-chat@7           open",
        "",
      ].join("\n"),
    );
  });

  it("the list is JSON as well", async () => {
    const { stdout } = await promptfold(["request", ...from, "--list", "--json"], { cwd: await folder() });
    const requests = JSON.parse(stdout) as object[];
    expect(requests).toEqual([
      {
        offset: 3,
        createdAt: "2026-11-24T08:30:00.000Z",
        model: "gpt-5",
        mapping: "openai-chat@1",
        contractVersion: "1.0.0",
        status: "succeeded",
        inputTokens: 3266,
        cachedInputTokens: 3072,
        outputTokens: 183,
      },
      {
        offset: 9,
        createdAt: "2026-11-25T09:00:00.000Z",
        model: "claude-sonnet-4-5",
        mapping: "anthropic-messages@1",
        status: "failed",
        reason: "HTTP 529: overloaded",
      },
      {
        offset: 12,
        createdAt: "2026-11-25T09:00:10.000Z",
        model: "acme-1",
        mapping: "acme-chat@7",
        status: "open",
      },
    ]);
    expect(stdout).toBe(`${JSON.stringify(requests, undefined, 2)}\n`);
  });

  it.each([
    ["2026-11-24", 3],
    ["2026-11-24T08:30Z", 3],
    ["2026-11-25T10:00:00+01:00", 9],
    ["2026-11-25 04:00:10-0500", 12],
    ["2100-01-01", 12],
  ])("one is found by the time %s", async (time, offset) => {
    const { stdout, stderr } = await promptfold(["request", ...from, "--at", time, "--json"], {
      cwd: await folder(),
    });
    expect(JSON.parse(stdout)).toMatchObject({ offset, opened: true });
    expect(stderr).toContain(`note: ${name}@${offset}: the newest request opened at or before 2`);
  });

  it("diff takes times too", async () => {
    const args = ["--from", "2026-11-24", "--to", "2026-11-25T09:00Z", "--json"];
    const { stdout } = await promptfold(["diff", ...from, ...args], { cwd: await folder() });
    expect(JSON.parse(stdout)).toMatchObject({ from: 3, to: 9 });
  });

  it.each([
    ["2026-11-24T23:59:59.998Z", "Be kind.", 6],
    ["2026-11-24", "Be brief.", 7],
  ])("the rules and the state at %s are those of the newest event by then", async (time, text, offset) => {
    const cwd = await folder();
    const rules = await promptfold(["rules", ...from, "--at", time, "--key", "tone"], { cwd });
    expect(rules.stdout).toBe(`${text}\n`);
    expect(rules.stderr).toContain(`note: ${name}@${offset}: the newest event at or before`);
    const state = await promptfold(["state", ...from, "--at", time, "--json"], { cwd });
    expect(JSON.parse(state.stdout)).toMatchObject({ offset });
  });

  it("where nothing had happened, it is said what did and when", async () => {
    const cwd = await folder();
    const none = await promptfold(["request", ...from, "--at", "2026-11-23"], { cwd });
    expect(none).toMatchObject({ exitCode: 1, stdout: "" });
    expect(none.stderr).toBe(
      `error ${name}: no request was opened at or before 2026-11-23T23:59:59.999Z; the first is @3, at ` +
        "2026-11-24T08:30:00.000Z; promptfold request --list lists them\n",
    );
    const early = await promptfold(["state", ...from, "--at", "2026-11-22"], { cwd });
    expect(early).toMatchObject({ exitCode: 1, stdout: "" });
    expect(early.stderr).toBe(
      `error ${name}: no event stands at or before 2026-11-22T23:59:59.999Z; the first is @1, at 2026-11-23T10:00:00.000Z\n`,
    );
  });
});

it("a stream without requests lists none, and by no time", async () => {
  const cwd = await folder(entries.slice(0, 2));
  const list = await promptfold(["request", ...file, "--list"], { cwd });
  expect(list).toMatchObject({ exitCode: 0, stdout: "", stderr: "events.jsonl: no request was opened\n" });
  const json = await promptfold(["request", ...file, "--list", "--json"], { cwd });
  expect(json).toMatchObject({ exitCode: 0, stdout: "[]\n" });
  const { stderr } = await promptfold(["request", ...file, "--at", "2026-12-01"], { cwd });
  expect(stderr).toContain("error events.jsonl: no request was opened in @1 to @2; name any offset");
  const empty = await promptfold(["request", ...file, "--at", "2026-12-01"], { cwd: await folder([]) });
  expect(empty).toMatchObject({ exitCode: 1, stderr: "error events.jsonl: the stream is empty\n" });
});

it("an import tells of the key in bodies that the stream's path makes, where there are such bodies", async () => {
  const cwd = await folder();
  const importAs = async (stream: string, name = "events.jsonl") =>
    promptfold(["import", name, ...journal, "--stream", stream], { cwd });
  const { stderr, stdout } = await importAs("/agents/b");
  expect(stdout).toBe("/agents/b: 12 events imported\n");
  expect(stderr).toBe(
    "note: /agents/b@3: the body of a request under openai-chat@1 has a prompt_cache_key made from the stream's path; " +
      "it is the one that was sent only where the events were exported from a stream of this path\n",
  );
  const lines = readFileSync(join(cwd, "events.jsonl"), "utf8").split("\n").slice(0, 4).join("\n");
  writeFileSync(join(cwd, "gemini.jsonl"), lines.replaceAll('"model":', '"mapping":"gemini@1","model":'));
  expect((await importAs("/agents/c", "gemini.jsonl")).stderr).not.toContain("prompt_cache_key");
  const help = (await promptfold(["import", "--help"])).stdout.replaceAll(/\s+/g, " ");
  expect(help).toContain("import under the path that the stream was exported from");
});

it("reads standard input once, whatever is asked of it", async () => {
  const cwd = await folder();
  const input = readFileSync(join(cwd, "events.jsonl"), "utf8");
  const at = await promptfold(["request", "--events", "-", "--at", "2026-11-25T09:00Z", "--json"], { input });
  expect(JSON.parse(at.stdout)).toMatchObject({ offset: 9 });
  const list = await promptfold(["request", "--events", "-", "--list"], { input });
  expect(list.stdout.match(/^ *@\d+/gm)).toEqual([" @3", " @9", "@12"]);
});

it("lists thousands of requests, with reports that come a little late, and keeps no text of them", async () => {
  const count = 3_000;
  const at = "2026-11-24T08:30:00.000Z";
  const many = Array.from({ length: count }, (_, index): Entry[] => {
    const offset = index * 4 + 2;
    const report = { requestOffset: Math.max(2, offset - 4 * 200), inputTokens: index + 1, outputTokens: 1 };
    return [
      [at, added, hello],
      [at, request, { model: "m" }],
      [at, settled, { requestOffset: offset, result: { status: "cancelled", reason: "interrupted" } }],
      [at, usage, report],
    ];
  }).flat();
  const cwd = temporaryFolder();
  const lines = many.map(([createdAt, type, payload], index) =>
    JSON.stringify({ offset: index + 1, type, createdAt, payload }),
  );
  writeFileSync(join(cwd, "events.jsonl"), lines.join("\n"));
  const { stdout } = await promptfold(["request", ...file, "--list", "--json"], { cwd });
  const requests = JSON.parse(stdout) as { offset: number; inputTokens?: number; status: string }[];
  expect(requests).toHaveLength(count);
  expect(requests.every(({ status }) => status === "cancelled")).toBe(true);
  expect(requests.slice(0, count - 200).every(({ inputTokens }) => inputTokens !== undefined)).toBe(true);
  const table = await promptfold(["request", ...file, "--list"], { cwd });
  expect(table.stdout.split("\n")).toHaveLength(count + 1);
});

it.each([
  [["--at", "3"], "--at"],
  [["--format", "body"], "--format"],
  [["--lines", "3"], "--lines"],
  [["--summary-call"], "--summary-call"],
])("a list goes with nothing of one request: %j", async (args, option) => {
  const { stderr, exitCode } = await promptfold(["request", ...file, "--list", ...args]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`--list shows all requests, ${option} belongs to one`);
});

it("a summary is named by its offset, since a time stands for a request", async () => {
  const call = ["request", ...file, "--summary-call", "--at", "2026-11-24"];
  expect(await promptfold(call)).toMatchObject({
    exitCode: 2,
    stderr: "error --summary-call needs --at with the offset of the summary\n",
  });
});

it.each([
  ["0", "an offset is a whole number from 1"],
  ["yesterday", "a time has its zone, as in 2026-11-24T08:30Z, and a date is"],
  ["2026-11-24T08:30", "say in which zone, as in 2026-11-24T08:30Z"],
  ["2026-02-30", "there is no such time"],
  ["2026-11-24T25:00Z", "there is no such time"],
  ["2026-11-24T08:30+25:00", "there is no such zone"],
  ["2026-11-24T08:30Zulu", "a time has its zone"],
])("refuses %s in place of a time", async (time, words) => {
  const { stderr, exitCode } = await promptfold(["request", ...file, "--at", time]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(words);
});

it("reads every time that ISO 8601 writes as JavaScript's own parser does", () => {
  const earliest = new Date("0100-01-02T00:00:00.000Z");
  const latest = new Date("9999-12-30T00:00:00.000Z");
  const zone = fc.tuple(
    fc.constantFrom("+", "-"),
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
  );
  const two = (number: number): string => String(number).padStart(2, "0");
  fc.assert(
    fc.property(
      fc.date({ min: earliest, max: latest, noInvalidDate: true }),
      zone,
      (date, [sign, hours, minutes]) => {
        const text = date.toISOString();
        expect(parseTime(text)).toBe(date.getTime());
        const local = `${text.slice(0, -1)}${sign}${two(hours)}:${two(minutes)}`;
        expect(parseTime(local)).toBe(Date.parse(local));
        const day = text.slice(0, 10);
        expect(parseTime(day)).toBe(Date.parse(`${day}T23:59:59.999Z`));
      },
    ),
    { numRuns: 1_000 },
  );
});
