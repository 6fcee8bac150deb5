import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CacheReport } from "@promptfold/agent-llm-request";
import { describe, expect, it, onTestFinished } from "vitest";
import { promptfold } from "../testing/run-in-process.ts";
import { startPromptfold, temporaryFolder } from "../testing/run-promptfold.ts";
import { CacheNotes } from "./cache-notes.ts";

const report: CacheReport = {
  stream: "/agents/a b",
  requestOffset: 22,
  comparedWith: 15,
  elapsedMs: 12_300,
  inputTokens: 5_400,
  predictedTokens: 5_120,
  reportedTokens: 0,
};

describe("CacheNotes", () => {
  it("says what was given, what was to be expected, and what to look at, without a password", () => {
    expect(new CacheNotes("postgres://u:secret@h/db").on(report)).toBe(
      "note: /agents/a b@22: the provider's cache gave 0 input tokens, 5,120 were to be expected 12.3s after @15; " +
        "promptfold diff --journal 'postgres://u:***@h/db' --stream '/agents/a b' --from 15 --to 22 shows what both begin with",
    );
  });

  it("names no command that could not read the journal", () => {
    expect(new CacheNotes("memory:").on(report)).toMatch(/ were to be expected 12\.3s after @15$/);
  });

  it.each<[string, Partial<CacheReport>, boolean]>([
    ["all", { reportedTokens: 5_120 }, false],
    ["more than predicted", { predictedTokens: 0, reportedTokens: 5_120 }, false],
    [
      "1,024 tokens less, which is a part too small",
      { predictedTokens: 5_120, reportedTokens: 4_096 },
      false,
    ],
    ["a quarter less, which are tokens too few", { predictedTokens: 4_092, reportedTokens: 3_069 }, false],
    ["a quarter and 1,024 tokens less", { predictedTokens: 4_096, reportedTokens: 3_072 }, true],
    ["nothing of what was cached five minutes ago", { elapsedMs: 300_000 }, true],
    ["nothing of what may have expired", { elapsedMs: 300_001 }, false],
  ])("where the cache gave %s", (_, changes, isNoted) => {
    expect(new CacheNotes("sqlite:a.db").on({ ...report, ...changes }) !== undefined).toBe(isNoted);
  });
});

it("is said of an agent once, until its cache has given what was predicted", () => {
  const notes = new CacheNotes("memory:");
  const given = [0, 0, 5_120, 0].map((reportedTokens) => notes.on({ ...report, reportedTokens }));
  expect(given.map((note) => note !== undefined)).toEqual([true, false, false, true]);
  const expired = { ...report, elapsedMs: 600_000, reportedTokens: 5_120 };
  expect([notes.on(expired), notes.on(report)]).toEqual([undefined, undefined]);
  expect(notes.on({ ...report, stream: "/agents/other" })).toContain("/agents/other@22");
});

/** A server that speaks Chat Completions and counts 2,000 input tokens more with each request, none of them cached. */
async function startServer(): Promise<Record<string, string>> {
  let inputTokens = 0;
  const server = createServer((_, response) => {
    inputTokens += 2_000;
    const usage = {
      prompt_tokens: inputTokens,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 0 },
    };
    response.writeHead(200, { "content-type": "text/event-stream" });
    const choices = [{ delta: { content: "Well." }, finish_reason: "stop" }];
    for (const chunk of [{ choices }, { choices: [], usage }])
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
}

describe("a provider whose cache gives nothing is told of", () => {
  it("in a chat, on standard error, once", async () => {
    const ended = await promptfold(["chat", "--journal", "sqlite:a.db"], {
      cwd: temporaryFolder(),
      env: await startServer(),
      input: "one\ntwo\nthree\n",
    });
    expect(ended.stdout).toBe(
      ["one", "two", "three"].map((said) => `you › ${said}\nagent › Well.\n`).join(""),
    );
    const notes = ended.stderr.split("\n").filter((line) => line.startsWith("note: "));
    expect(notes).toEqual([
      expect.stringMatching(
        /gave 0 input tokens, 2,000 were to be expected .*; promptfold diff --journal sqlite:a\.db /,
      ),
    ]);
    expect(ended.exitCode).toBe(0);
  });

  it("by run, with a command that works", async () => {
    const [cwd, env] = [temporaryFolder(), await startServer()];
    const place = ["--journal", "sqlite:a.db", "--stream", "/agents/a"];
    const append = (...what: string[]) => promptfold(["append", ...place, ...what], { cwd });
    const event = (type: string, payload: object): string => JSON.stringify({ type, payload });
    await append("--event", event("agent/created", {}));
    await append("--event", event("agent/configured", { config: { llmRequestDebounceMs: 0 } }));
    const run = startPromptfold(["run", "--journal", "sqlite:a.db"], { cwd, env });
    await append("--message", "one");
    await run.said("2,000 tokens in");
    await append("--message", "two");
    await run.said("note: ");
    run.child.kill("SIGTERM");
    const { stdout, stderr } = await run.ended;
    expect(stdout).toBe("");
    const command = /; promptfold (diff .*) shows what both begin with$/m.exec(stderr)?.[1] ?? "";
    const diff = await promptfold(command.split(" "), { cwd });
    expect(diff.stdout).toContain("is a prefix of request");
  });
});
