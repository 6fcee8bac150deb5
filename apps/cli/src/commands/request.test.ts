import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promptfold } from "../testing/run-in-process.ts";
import { temporaryFolder } from "../testing/run-promptfold.ts";

/** A folder with a file of events. */
function folderWith(...events: readonly (readonly [type: string, payload: string])[]): string {
  const cwd = temporaryFolder();
  const lines = events.map(
    ([type, payload], index) =>
      `{"offset":${index + 1},"type":${JSON.stringify(type)},"createdAt":"2026-03-02T09:00:0${index}.000Z","payload":${payload}}\n`,
  );
  writeFileSync(join(cwd, "events.jsonl"), lines.join(""));
  return cwd;
}

const hello = ["agents/context-added", '{"role":"user","content":"hello"}'] as const;
const request = ["agent/llm-request-requested", '{"model":"m"}'] as const;
const on = ["--events", "events.jsonl"];

it.each([
  ["mapping", '{"model":"m","mapping":"future-api@9"}', /unknown mapping "future-api@9"/],
  ["protocol", '{"model":"m","protocol":"99"}', /unknown protocol "99"/],
])("an unknown %s in the stream is the input's fault, and told with its place", async (_, payload, words) => {
  const cwd = folderWith(hello, ["agent/llm-request-requested", payload]);
  for (const call of [
    ["request", ...on, "--at", "2", "--format", "body"],
    ["diff", ...on, "--from", "1", "--to", "2"],
  ]) {
    const { stderr, exitCode } = await promptfold(call, { cwd });
    expect(stderr).toMatch(words);
    expect(stderr).toContain("events.jsonl@2: ");
    expect(exitCode).toBe(1);
  }
});

it("messages are shown whatever mapping they were made for, and what helps to see the body is said", async () => {
  const acme = ["agent/llm-request-requested", '{"model":"m","mapping":"acme-chat@7"}'] as const;
  const cwd = folderWith(hello, acme);
  const shown = await promptfold(["request", ...on, "--at", "2"], { cwd });
  expect(shown).toMatchObject({ exitCode: 0 });
  expect(shown.stdout).toContain("[1] user @1\n│ hello\n");
  expect(shown.stderr).toMatch(/2 messages|3 messages/);
  expect(shown.stderr).toContain("mapping acme-chat@7\n");
  expect(shown.stderr).toContain(
    "note: events.jsonl@2: made for mapping acme-chat@7, which this release does not ship;",
  );
  const json = await promptfold(["request", ...on, "--json"], { cwd });
  expect(JSON.parse(json.stdout)).toMatchObject({ opened: true, mapping: "acme-chat@7" });
  const body = await promptfold(["request", ...on, "--format", "body"], { cwd });
  expect(body).toMatchObject({ exitCode: 1, stdout: "" });
  expect(body.stderr).toContain("--format <mapping> shows it under another one (openai-chat@1,");
  const other = await promptfold(["request", ...on, "--format", "gemini"], { cwd });
  expect(JSON.parse(other.stdout)).toHaveProperty("contents");
  const protocol = folderWith(hello, ["agent/llm-request-requested", '{"model":"m","protocol":"9"}']);
  const { stderr } = await promptfold(["request", ...on], { cwd: protocol });
  expect(stderr).toContain("upgrade, or see with promptfold state --at 2 what it was made from");
  expect(stderr).not.toContain("--format");
});

it("a body made from a file says that the stream's path is missing from it, where the body would tell", async () => {
  const cwd = folderWith(hello, request);
  const note = /note: events\.jsonl: .* prompt_cache_key; name it with --stream <path>/;
  const body = async (...args: readonly string[]) => promptfold(["request", ...on, ...args], { cwd });
  const nameless = await body("--format", "openai-responses");
  expect(nameless.stderr).toMatch(note);
  expect(nameless.stdout).not.toContain("prompt_cache_key");
  const named = await body("--format", "openai-responses", "--stream", "/agents/a");
  expect(named.stderr).not.toMatch(note);
  expect(named.stdout).toContain("prompt_cache_key");
  expect((await body("--format", "gemini")).stderr).not.toMatch(note);
  expect((await body()).stderr).not.toMatch(note);
});

it("a body of a request that names no model says that another name may have been sent", async () => {
  const unnamed = ["agent/llm-request-requested", '{"model":"default"}'] as const;
  const note = "note: events.jsonl@2: the request names no model;";
  const ofUnnamed = (...args: readonly string[]) =>
    promptfold(["request", ...on, ...args], { cwd: folderWith(hello, unnamed) });
  expect((await ofUnnamed("--format", "body")).stderr).toContain(note);
  for (const args of [["--format", "openai-chat"], ["--at", "1", "--format", "body"], []])
    expect((await ofUnnamed(...args)).stderr).not.toContain("names no model");
  const named = await promptfold(["request", ...on, "--format", "body"], { cwd: folderWith(hello, request) });
  expect(named.stderr).not.toContain("names no model");
});

it("an unknown mapping in the call is the call's fault", async () => {
  const cwd = folderWith(hello, request);
  const { stderr, exitCode } = await promptfold(["request", ...on, "--format", "future-api"], { cwd });
  expect(stderr).toContain('unknown mapping "future-api"');
  expect(exitCode).toBe(2);
});

it("a payload nested deeper than any journal holds is refused with its line, by every command that reads events", async () => {
  const deep = `{"config":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
  const cwd = folderWith(hello, ["agent/configured", deep], request);
  for (const command of ["request", "state", "rules"]) {
    const { stderr, exitCode } = await promptfold([command, ...on], { cwd });
    expect(stderr).toBe(
      "error events.jsonl:2: the payload nests deeper than 1000 levels, which no journal holds\n",
    );
    expect(exitCode).toBe(1);
  }
});

it("options that say nothing together are refused", async () => {
  const cwd = folderWith(hello, request);
  const reversed = await promptfold(["diff", ...on, "--from", "2", "--to", "1"], { cwd });
  expect(reversed).toMatchObject({ exitCode: 2, stdout: "" });
  expect(reversed.stderr).toContain("@2 is later than @1");
  const cut = await promptfold(["request", ...on, "--format", "body", "--lines", "2"], { cwd });
  expect(cut).toMatchObject({ exitCode: 2, stdout: "" });
});

it("a torn last line is told once", async () => {
  const cwd = folderWith(hello, request);
  writeFileSync(join(cwd, "events.jsonl"), '{"offset":3,"ty', { flag: "a" });
  const { stderr } = await promptfold(["request", ...on], { cwd });
  expect(stderr.match(/events\.jsonl:3: the last line was never written/g)).toHaveLength(1);
});

it("rules says so where no section is in force", async () => {
  const cwd = folderWith(hello, request);
  expect(await promptfold(["rules", ...on], { cwd })).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: "events.jsonl@2: no section is in force\n",
  });
  const { stderr } = await promptfold(["rules", ...on, "--key", "tone"], { cwd });
  expect(stderr).toBe("error events.jsonl@2: no section tone is in force; none is\n");
});

it("a note shows what a file's name would do to the terminal, and does not do it", async () => {
  const cwd = folderWith(hello, request);
  const name = "\u001b[31mred.jsonl";
  renameSync(join(cwd, "events.jsonl"), join(cwd, name));
  const calls = [
    ["request", "--events", name, "--at", "1"],
    ["request", "--events", name, "--format", "openai-responses"],
    ["diff", "--events", name, "--from", "1", "--to", "2"],
  ];
  for (const call of calls) {
    const { stderr } = await promptfold(call, { cwd });
    expect(stderr).toContain("note: \\u001b[31mred.jsonl");
    expect(stderr).not.toContain("\u001b[31m");
  }
});

it("the call that wrote a summary is shown in every format", async () => {
  const summary = [
    "agents/context-added",
    '{"role":"developer","content":"They said hello.","compaction":{"replacesHistoryThrough":2,"requestOffset":2,"instruction":"Summarise."}}',
  ] as const;
  const cwd = folderWith(hello, request, summary);
  const shown = await promptfold(["request", ...on, "--at", "3"], { cwd });
  expect(shown.stdout).toContain("They said hello.");
  expect(shown.stderr).toContain("events.jsonl@3: a summary, and no request, stands here;");
  const call = async (...args: readonly string[]) =>
    promptfold(["request", ...on, "--summary-call", ...args], { cwd });
  const messages = await call("--at", "3");
  expect(messages).toMatchObject({ exitCode: 0 });
  expect(messages.stdout).toMatch(/hello\n[\s\S]*Requested at: [\s\S]*Summarise\.\n/);
  expect(messages.stdout).not.toContain("They said hello.");
  expect(messages.stderr).toContain("the request @2 again, and the instruction");
  const json = await call("--at", "3", "--json");
  expect(JSON.parse(json.stdout)).toMatchObject({ offset: 3, requestOffset: 2, instruction: "Summarise." });
  for (const [format, field] of [
    ["body", "messages"],
    ["gemini", "contents"],
  ] as const) {
    const body = JSON.parse((await call("--at", "3", "--format", format)).stdout) as Record<
      string,
      unknown[]
    >;
    expect(JSON.stringify(body[field]?.at(-1))).toContain("Summarise.");
  }
  expect(await call()).toMatchObject({ exitCode: 2 });
  const other = await call("--at", "2");
  expect(other).toMatchObject({ exitCode: 1, stdout: "" });
  expect(other.stderr).toContain("events.jsonl@2: no summary in force stands here");
});

describe("the call that wrote a summary", () => {
  const summary = [
    "agents/context-added",
    '{"role":"developer","content":"They said hello.","compaction":{"replacesHistoryThrough":3,"requestOffset":3,"instruction":"Summarise."}}',
  ] as const;
  const rain = ["garden/rain-fell", "{}"] as const;

  it.each([
    [
      '"contractVersion":"0.0.1"',
      "0.0.1",
      "note: events.jsonl@3: made under contract 0.0.1; these bytes are",
    ],
    ['"protocol":"1"', undefined, "note: events.jsonl@3: made under an unknown contract; these bytes are"],
  ])("tells of the request that it repeats: %s", async (field, contractVersion, note) => {
    const cwd = folderWith(hello, rain, ["agent/llm-request-requested", `{"model":"m",${field}}`], summary);
    const call = ["request", ...on, "--summary-call", "--at", "4"];
    for (const args of [[], ["--json"], ["--format", "body"]]) {
      const { stderr } = await promptfold([...call, ...args], { cwd });
      expect(stderr).toContain(note);
      expect(stderr).toContain("note: events.jsonl@2: unknown event garden/rain-fell skipped\n");
    }
    const json = JSON.parse((await promptfold([...call, "--json"], { cwd })).stdout) as object;
    expect(json).toMatchObject({
      offset: 4,
      requestOffset: 3,
      reconstructed: true,
      skipped: [{ offset: 2, type: "garden/rain-fell" }],
      skippedCount: 1,
      replayedFrom: 0,
      opened: true,
    });
    expect((json as { contractVersion?: string }).contractVersion).toBe(contractVersion);
  });

  it("is shown as messages whatever mapping it was made for", async () => {
    const acme = ["agent/llm-request-requested", '{"model":"m","mapping":"acme-chat@7"}'] as const;
    const cwd = folderWith(hello, rain, acme, summary);
    const call = ["request", ...on, "--summary-call", "--at", "4"];
    const shown = await promptfold(call, { cwd });
    expect(shown).toMatchObject({ exitCode: 0 });
    expect(shown.stdout).toContain("Summarise.");
    expect(shown.stderr).toContain("4 messages");
    expect(shown.stderr).toContain("note: events.jsonl@3: made for mapping acme-chat@7,");
    const body = await promptfold([...call, "--format", "body"], { cwd });
    expect(body).toMatchObject({ exitCode: 1, stdout: "" });
    expect(body.stderr).toContain('unknown mapping "acme-chat@7"');
  });

  it("is found by the offsets that the error and the state name", async () => {
    const cwd = folderWith(hello, rain, request, summary);
    const { stderr } = await promptfold(["request", ...on, "--summary-call", "--at", "3"], { cwd });
    expect(stderr).toContain("tells of the call it came from; those that do stand at @4\n");
    const { stdout } = await promptfold(["state", ...on], { cwd });
    expect(stdout).toMatch(/^summary +@4, of everything through @3$/m);
    const none = await promptfold(["request", ...on, "--summary-call", "--at", "1"], {
      cwd: folderWith(hello, request),
    });
    expect(none.stderr).toContain("tells of the call it came from; none does in @1 to @2\n");
  });
});

it("what is no stream of events is told with what one is, and what reads bodies", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "requests.jsonl"), '{"model":"m","messages":[]}\n');
  writeFileSync(join(cwd, "README.md"), "# Read me\n");
  const expected =
    "; each line is an event as promptfold export writes it, " +
    '{"offset": 1, "type": "…", "createdAt": "…", "payload": {…}}';
  const doctor = "; for raw request bodies of an agent there is promptfold doctor";
  for (const command of ["request", "diff", "rules", "state"]) {
    const bodies = await promptfold([command, "--events", "requests.jsonl"], { cwd });
    expect(bodies).toMatchObject({
      exitCode: 1,
      stderr: `error requests.jsonl:1: the event has no payload${expected}${doctor} requests.jsonl\n`,
    });
    const text = await promptfold([command, "--events", "README.md"], { cwd });
    expect(text.stderr).toMatch(/^error README\.md:1: not JSON: /);
    expect(text.stderr.endsWith(`${expected}\n`)).toBe(true);
  }
  const input = '{"model":"m","messages":[]}\n';
  const { stderr } = await promptfold(["request", "--events", "-"], { input });
  expect(stderr).toContain(`${doctor} -\n`);
});

it("the reserved key is refused for what it is", async () => {
  const { stderr, exitCode } = await promptfold(["rules", ...on, "--key", "*"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("* is reserved: it stands for all sections, which are listed without --key");
  expect((await promptfold(["rules", ...on, "--key", "a<b"])).stderr).toContain('has no ", <, >');
});
