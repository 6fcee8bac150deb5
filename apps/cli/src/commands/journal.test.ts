import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONTRACT_VERSION } from "@promptfold/contract";
import { FOLD_VERSION, initialState, saveState } from "@promptfold/fold";
import { openJournal } from "@promptfold/journal";
import { expect, it } from "vitest";
import { promptfold } from "../testing/run-in-process.ts";
import { temporaryFolder } from "../testing/run-promptfold.ts";

const event = { type: "test/any", payload: {} };

it("migrate creates a journal once, and verify finds every law to hold", async () => {
  const cwd = temporaryFolder();
  const run = (...args: string[]): ReturnType<typeof promptfold> => promptfold(args, { cwd });
  expect(await run("migrate", "--journal", "sqlite:a.db")).toMatchObject({
    stdout: "a.db: created, version 1 of the tables\n",
    stderr: "",
    exitCode: 0,
  });
  expect((await run("migrate", "--journal", "sqlite:a.db")).stdout).toBe(
    "a.db: up to date, version 1 of the tables\n",
  );
  const again = await run("migrate", "--journal", "sqlite:a.db", "--json");
  expect(JSON.parse(again.stdout)).toEqual({ place: "a.db", from: 1, to: 1 });

  const journal = await openJournal(`sqlite:${join(cwd, "a.db")}`);
  await journal.as({ processor: "test", trust: "inside" }).append("/a", [event, event]);
  await journal.restore(
    "/b",
    [{ offset: 3, ...event, payloadText: "{}", createdAt: new Date(0).toISOString() }],
    {
      after: 0,
    },
  );
  await journal.close();
  expect(await run("journal", "verify", "--journal", "sqlite:a.db")).toMatchObject({
    stdout: "2 streams, 3 events: every law holds\n",
    stderr: "",
    exitCode: 0,
  });
  const json = await run("journal", "verify", "--journal", "sqlite:a.db", "--json");
  expect(JSON.parse(json.stdout)).toEqual({ streams: 2, events: 3, problems: [] });
});

it("verify lists what does not hold, and exits with 1", async () => {
  const cwd = temporaryFolder();
  const path = join(cwd, "a.db");
  const journal = await openJournal(`sqlite:${path}`);
  const texts = ["first", "second\u001b[2J"].map((text) => ({ type: "test/any", payload: { text } }));
  await journal.as({ processor: "test", trust: "inside" }).append("/agents/a", texts);
  await journal.close();
  // The same length, so that SQLite finds nothing wrong with its file.
  const bytes = readFileSync(path);
  const at = bytes.indexOf('{"text":"second');
  bytes.write("[", at);
  writeFileSync(path, bytes);
  const ended = await promptfold(["journal", "verify", "--journal", "sqlite:a.db"], { cwd });
  expect(ended.stdout).toMatch(
    /^\/agents\/a: cannot be read further: \/agents\/a@2: the stored payload is not JSON; .+\n/,
  );
  expect(ended.stdout).toMatch(/\n1 stream, 0 events: \d problems?\n$/);
  expect(ended).toMatchObject({ exitCode: 1, stderr: "" });
});

it("says what is wrong with the call, and never shows a password", async () => {
  const cwd = temporaryFolder();
  const run = (...args: string[]): ReturnType<typeof promptfold> => promptfold(args, { cwd });
  const [memory, none, badUrl, unreachable, folder] = await Promise.all([
    run("migrate", "--journal", "memory:"),
    run("journal", "verify", "--journal", "sqlite:none.db"),
    run("migrate", "--journal", "postgress://user:secret@127.0.0.1/agents"),
    run("migrate", "--journal", "sqlite:absent/a.db"),
    run("journal", "verify", "--journal", "none"),
  ]);
  expect(memory).toMatchObject({ exitCode: 2, stdout: "" });
  expect(memory.stderr).toContain("name a journal, as in sqlite:<path>");
  expect(none).toMatchObject({ exitCode: 1, stdout: "" });
  expect(none.stderr).toContain("none.db: there is no journal here");
  expect(badUrl.exitCode).toBe(2);
  expect(badUrl.stderr).not.toContain("secret");
  expect(unreachable.exitCode).toBe(1);
  expect(unreachable.stderr).toContain("create its folder first");
  expect(folder).toMatchObject({ exitCode: 2, stdout: "" });
});

it("snapshot keeps a state, where the reading commands then begin, with the same result", async () => {
  const cwd = temporaryFolder();
  const journal = await openJournal(`sqlite:${join(cwd, "a.db")}`);
  const say = (content: string) => ({ type: "agents/context-added", payload: { role: "user", content } });
  const request = { type: "agent/llm-request-requested", payload: { model: "m" } };
  const rewrite = {
    type: "agents/context-rewritten",
    payload: { op: "replace", key: "rules", content: "Be kind." },
  };
  const odd = [
    { type: "garden/rain-fell", payload: {} },
    { type: "agents/context-added", payload: { role: "user" } },
  ];
  const events = [say("one"), rewrite, ...odd, say("two"), say("three"), request];
  await journal.as({ processor: "test", trust: "inside" }).append("/agents/a", events);
  await journal.close();
  const on = ["--journal", "sqlite:a.db"];
  const calls = [
    ["request", "--at", "7", "--format", "body"],
    ["request", "--format", "body"],
    ["state", "--json"],
    ["state"],
    ["state", "--at", "7"],
    ["rules", "--json"],
    ["diff", "--from", "1", "--to", "7", "--json"],
  ].map(([name = "", ...rest]) => [name, ...on, ...rest]);
  const read = () => Promise.all(calls.map((call) => promptfold(call, { cwd })));

  const before = await read();
  const kept = await promptfold(["journal", "snapshot", ...on, "--at", "5"], { cwd });
  expect(kept).toMatchObject({ stdout: "", exitCode: 0 });
  expect(kept.stderr).toMatch(/^\/agents\/a: kept the state at @5, [\d,]+ characters\n$/);
  const after = await read();
  expect(after.map(({ stdout }) => stdout)).toEqual(before.map(({ stdout }) => stdout));
  const note = "note: /agents/a: replayed from the state kept at @5\n";
  expect(before.map(({ stderr }) => stderr).join("")).not.toContain("replayed from");
  expect(after[0]?.stderr).toBe(`${before[0]?.stderr ?? ""}${note}`);
  expect(before[0]?.stderr).toContain("note: /agents/a@3: unknown event garden/rain-fell skipped\n");

  // At the kept offset itself and before it the events are folded.
  const early = await promptfold(["request", ...on, "--at", "5"], { cwd });
  expect(early.stderr).not.toContain("replayed from");
  const missing = await promptfold(["journal", "snapshot", ...on, "--at", "9"], { cwd });
  expect(missing).toMatchObject({ exitCode: 1, stdout: "" });
  expect(missing.stderr).toContain("/agents/a@9: no event stands there");

  // One that claims to stand behind the stream's end is of another stream, or was tampered with.
  const tampered = await openJournal(`sqlite:${join(cwd, "a.db")}`);
  await tampered.snapshots.save(
    { stream: "/agents/a", foldVersion: FOLD_VERSION, contractVersion: CONTRACT_VERSION },
    { offset: 5000, state: JSON.stringify(saveState(initialState)) },
  );
  await tampered.close();
  expect((await read()).map(({ stdout }) => stdout)).toEqual(before.map(({ stdout }) => stdout));
});

it("a kept state that is damaged is told of, and the next older one is used", async () => {
  const cwd = temporaryFolder();
  const journal = await openJournal(`sqlite:${join(cwd, "a.db")}`);
  const say = (content: string) => ({ type: "agents/context-added", payload: { role: "user", content } });
  const request = { type: "agent/llm-request-requested", payload: { model: "m" } };
  const events = [say("one"), say("two"), say("three"), say("four"), request];
  await journal.as({ processor: "test", trust: "inside" }).append("/agents/a", events);
  const on = ["--journal", "sqlite:a.db"];
  const whole = await promptfold(["request", ...on], { cwd });
  for (const at of ["1", "2", "3"]) await promptfold(["journal", "snapshot", ...on, "--at", at], { cwd });
  const key = { stream: "/agents/a", foldVersion: FOLD_VERSION, contractVersion: CONTRACT_VERSION };
  await journal.snapshots.save(key, { offset: 3, state: '{"items":' });
  await journal.snapshots.save(key, { offset: 2, state: '{"items":3}' });
  const calls = [
    ["request"],
    ["state"],
    ["state", "--at", "5"],
    ["rules"],
    ["diff", "--from", "4", "--to", "5"],
  ];
  for (const [name = "", ...rest] of calls) {
    const { stdout, stderr, exitCode } = await promptfold([name, ...on, ...rest], { cwd });
    expect(exitCode).toBe(0);
    for (const offset of [3, 2]) {
      const note =
        `note: /agents/a: the state kept at @${offset} is damaged and not used; ` +
        `promptfold journal snapshot --at ${offset} keeps it anew\n`;
      expect(stderr.split(note)).toHaveLength(2);
    }
    if (name !== "rules") expect(stderr).toContain("replayed from the state kept at @1\n");
    if (name === "request") expect(stdout).toBe(whole.stdout);
  }
  for (const at of ["3", "2"]) await promptfold(["journal", "snapshot", ...on, "--at", at], { cwd });
  const { stderr } = await promptfold(["request", ...on], { cwd });
  expect(stderr).toContain("replayed from the state kept at @3\n");
  expect(stderr).not.toContain("damaged");
  await journal.close();
});

it("reading a journal that was never made creates nothing", async () => {
  const cwd = temporaryFolder();
  const path = join(cwd, "a.db");
  writeFileSync(path, "");
  const calls = [
    ["state"],
    ["export", "--stream", "/agents/a"],
    ["journal", "verify"],
    ["journal", "snapshot"],
  ];
  for (const call of calls) {
    const ended = await promptfold([...call, "--journal", "sqlite:a.db"], { cwd });
    expect(ended).toMatchObject({ exitCode: 1, stdout: "" });
    expect(ended.stderr).toMatch(/^error .*a\.db: there is no journal/);
    expect(readFileSync(path)).toHaveLength(0);
  }
});
