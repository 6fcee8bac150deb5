import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mappingIds } from "@promptfold/renderer";
import { describe, expect, it } from "vitest";
import { promptfold } from "./testing/run-in-process.ts";
import { temporaryFolder } from "./testing/run-promptfold.ts";

type Entry = readonly [type: string, payload: object];

function write(entries: readonly Entry[]): string {
  const lines = entries.map(([type, payload], index) => {
    const createdAt = new Date(Date.UTC(2026, 2, 2, 9, 0, index)).toISOString();
    return JSON.stringify({ offset: index + 1, type, payload, createdAt });
  });
  const file = join(temporaryFolder(), "events.jsonl");
  writeFileSync(file, lines.join("\n"));
  return file;
}

/** A text that every model's cache takes: over 4,096 tokens. */
const long = "A rule. ".repeat(2_100);

/** A file of a stream with three requests, @3, @7 and @11, of which a rewrite parts the last from the others. */
function eventsFile(mapping: string): string {
  return write([
    ["agents/context-added", { role: "system", key: "tone", content: `${long}Be kind.` }],
    ["agents/context-added", { role: "user", content: "first question" }],
    ["agent/llm-request-requested", { model: "m", mapping }],
    ["agents/context-added", { role: "assistant", content: "an answer", llmRequestOffset: 3 }],
    ["agent/llm-request-settled", { requestOffset: 3, result: { status: "succeeded" } }],
    ["agents/context-added", { role: "user", content: "second question" }],
    ["agent/llm-request-requested", { model: "m", mapping }],
    ["agent/llm-request-settled", { requestOffset: 7, result: { status: "succeeded" } }],
    ["agents/context-rewritten", { op: "replace", key: "tone", content: `${long}Be brief.` }],
    ["agents/context-added", { role: "user", content: "third question" }],
    ["agent/llm-request-requested", { model: "m", mapping }],
  ]);
}

describe.each(mappingIds)("promptfold diff of requests to %s", (mapping) => {
  it("shows only what is new after the place where the cache ends", async () => {
    const { stdout } = await promptfold([
      "diff",
      "--events",
      eventsFile(mapping),
      "--from",
      "3",
      "--to",
      "7",
    ]);
    expect(stdout).toContain("Request @3 is a prefix of request @7.");
    expect(stdout).toContain("Both begin with 4 messages:");
    const [before, after] = stdout.split("the cache ends here");
    expect(before).not.toContain("[3]");
    expect(after).toMatch(/\[4\] assistant @4\n│ an answer\n\n\[5\] user @6\n/);
    expect(after).not.toContain("the stamp of request @3");
  });

  it("names the message in which they part, and shows the text around that place", async () => {
    const { stdout } = await promptfold(["diff", "--events", eventsFile(mapping)]);
    expect(stdout).toContain("They part in message [1] (system, the standing document, 1 section), at");
    expect(stdout).toMatch(/^- ".*A rule\. Be kind\.\\n<\/section>"$/m);
    expect(stdout).toMatch(/^\+ ".*A rule\. Be brief\.\\n<\/section>"$/m);
  });

  it("gives the same as JSON", async () => {
    const { stdout } = await promptfold(["diff", "--events", eventsFile(mapping), "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      held: false,
      sharedMessages: 1,
      firstDifference: { message: 1, previous: { from: { offset: 1 } }, next: { from: { offset: 9 } } },
      brokenBy: [{ offset: 9, kind: "rewrite", key: "tone" }],
    });
  });
});

describe("promptfold diff", () => {
  const section = (key: string, content: string): Entry => [
    "agents/context-added",
    { role: "system", key, content },
  ];
  const question = (content: string): Entry => ["agents/context-added", { role: "user", content }];
  const request = (payload: object = {}): Entry => [
    "agent/llm-request-requested",
    { model: "gpt-5", ...payload },
  ];
  const settled = (requestOffset: number): Entry => [
    "agent/llm-request-settled",
    { requestOffset, result: { status: "succeeded" } },
  ];
  const rewrite = (payload: object): Entry => ["agents/context-rewritten", payload];
  const diff = (entries: readonly Entry[], ...more: readonly string[]) =>
    promptfold(["diff", "--events", write(entries), ...more]);

  it("names the section in which they part, and the event that is about it before others", async () => {
    const { stdout } = await diff([
      section("a", "AAA"),
      section("b", "BBB"),
      section("c", "CCC"),
      question("x"),
      request(),
      settled(5),
      rewrite({ op: "replace", key: "c", content: "C2" }),
      rewrite({ op: "replace", key: "b", content: "B2" }),
      question("y"),
      request(),
    ]);
    expect(stdout).toContain("byte 53, in section b (@2), which is @8 now.\n");
    expect(stdout).toContain(
      "Cause: the rewrite of b at @8. Also between the two: the rewrite of c at @7.\n",
    );
  });

  it.each([
    [{ op: "delete", key: "a" }, "where section a (@1) stood and b (@2) stands.", "the rewrite of a at @6"],
    [{ op: "delete", key: "b" }, "where section b (@2) stood.", "the rewrite of b at @6"],
    [{ op: "delete", key: "*" }, "where section a (@1) stood.", "the deletion of everything at @6"],
  ])("says what stood where something was deleted: %j", async (payload, place, cause) => {
    const { stdout } = await diff([
      section("a", "AAA"),
      section("b", "BBB"),
      question("x"),
      request(),
      settled(4),
      rewrite(payload),
      question("y"),
      request(),
    ]);
    expect(stdout).toContain(place);
    expect(stdout).toContain(`Cause: ${cause}.\n`);
  });

  it("says first that another model has another cache, whatever the texts share", async () => {
    const { stdout } = await diff([
      section("a", "AAA"),
      question("x"),
      request(),
      settled(3),
      question("y"),
      request({ model: "gpt-5-mini" }),
    ]);
    expect(stdout).toMatch(
      /^No cache is shared: the model was "gpt-5" and is "gpt-5-mini"; each model has a cache of its own\.\n/,
    );
    expect(stdout).toContain("Request @3 is a prefix of request @6.\n");
    expect(stdout).toMatch(/as a text; of its \d+ tokens, 0 can come from the cache\.\n/);
    expect(stdout).not.toContain("the cache ends here");
  });

  it("says first that mappings share no cache, and blames no event for what the mapping changed", async () => {
    const entries = [
      section("a", "AAA"),
      question("x"),
      request({ mapping: "openai-chat@2" }),
      settled(3),
      rewrite({ op: "replace", key: "a", content: "A2" }),
      question("y"),
      request({ model: "claude-opus-5", mapping: "anthropic-messages@1" }),
    ];
    const { stdout } = await diff(entries);
    expect(stdout).toMatch(
      /^No cache is shared: the mapping was openai-chat@2 and is anthropic-messages@1\.\n/,
    );
    expect(stdout).toContain("Cause: the other mapping, which writes this place differently.\n");
    const { stdout: alike } = await diff(entries, "--format", "openai-chat@2");
    expect(alike).toMatch(/^No cache is shared: the model was/);
    expect(alike).toContain("Cause: the rewrite of a at @5.\n");
  });

  it("shows the roles where they are what differs", async () => {
    const { stdout } = await diff(
      [
        question("x"),
        request({ mapping: "openai-chat@2" }),
        settled(2),
        question("y"),
        request({ mapping: "ai-sdk@1" }),
      ],
      "--from",
      "2",
      "--to",
      "5",
    );
    expect(stdout).toContain("No cache is shared: the mapping was openai-chat@2 and is ai-sdk@1.");
    const [previous, next] = ["- ", "+ "].map((sign) =>
      stdout.split("\n").find((line) => line.startsWith(sign)),
    );
    expect(previous?.slice(2)).not.toBe(next?.slice(2));
  });

  it("compares a request with the one before it where only the later one is named", async () => {
    const entries = [
      question("x"),
      request(),
      settled(2),
      question("y"),
      request(),
      settled(5),
      question("z"),
      request(),
    ];
    const { stdout, stderr } = await diff(entries, "--to", "5");
    expect(stdout).toContain("Request @2 is a prefix of request @5.\n");
    expect(stderr).not.toContain("itself");
    const first = await diff(entries, "--to", "2");
    expect(first).toMatchObject({ exitCode: 1, stdout: "" });
    expect(first.stderr).toContain(
      "@2: no request was opened before it; name what to compare it with by --from",
    );
    expect((await diff(entries, "--from", "5", "--to", "5")).stderr).toContain(
      "@5: this is compared with itself",
    );
  });

  it("says where nothing is cached, though the texts begin alike", async () => {
    const opus = { model: "claude-opus-5", mapping: "anthropic-messages@1" };
    const entries = (content: string): Entry[] => [
      section("a", content),
      question("x"),
      request(opus),
      settled(3),
      rewrite({ op: "replace", key: "a", content: `${content}A2` }),
      question("y"),
      request(opus),
    ];
    const unmarked = (await diff(entries(long))).stdout;
    expect(unmarked).toMatch(
      /^Nothing can come from the cache: this model caches what ends at a mark, and .* begin with\.\n/,
    );
    expect(unmarked).toMatch(
      / % of the later request as a text; of its [\d,]+ tokens, 0 can come from the cache\./,
    );
    expect(unmarked).not.toContain("the cache ends here");
    const { stdout } = await diff([...entries("AAA").slice(0, 4), ...entries("AAA").slice(5)]);
    expect(stdout).toMatch(
      /^Nothing can come from the cache: what both begin with is \d+ tokens, and this model caches from 512 on\.\n/,
    );
  });

  it("shows settings that are objects, and keeps what they leave of the cache", async () => {
    const claude = { model: "claude-opus-4-5", mapping: "anthropic-messages@1" };
    const entries = [
      section("a", long),
      question("x"),
      request(claude),
      settled(3),
      question("y"),
      request({ ...claude, parameters: { thinkingBudget: 2000 } }),
    ];
    const { stdout } = await diff(entries);
    expect(stdout).toMatch(
      /^Only the protocol and the standing document can come from the cache: `thinking` is another one\.\n/,
    );
    expect(stdout).toContain(
      'Settings: max_tokens 8192 → 10192, thinking unset → {"type":"enabled","budget_tokens":2000}.\n',
    );
    expect(stdout.split("the cache ends here")[1]).toContain("[2] user @2\n");
    const { stdout: json } = await diff(entries, "--json");
    expect(JSON.parse(json)).toMatchObject({
      held: true,
      cacheLoss: { cause: "settings-changed", keeps: "lead" },
      sharedMessages: 4,
      cachedMessages: 2,
      settings: [{ name: "max_tokens" }, { name: "thinking", next: { type: "enabled" } }],
    });
    const gemini = { model: "gemini-3", mapping: "gemini@1" };
    const budget = await diff([
      question("x"),
      request(gemini),
      settled(2),
      question("y"),
      request({ ...gemini, parameters: { maxOutputTokens: 9 } }),
    ]);
    expect(budget.stdout).toContain('generationConfig unset → {"maxOutputTokens":9}');
  });

  it("calls a request what was one, and says so of what was none", async () => {
    const entries = [
      question("x"),
      section("a", "AAA"),
      request(),
      request(),
      settled(3),
      question("y"),
      request(),
    ];
    const guarded = await diff(entries, "--from", "4", "--to", "7");
    expect(guarded.stdout).toContain(
      "The state at @4, whose request was not opened, is a prefix of request @7.\n",
    );
    expect(guarded.stdout).toMatch(
      /^Nothing was sent at @4, so what follows is about texts and not about a cache\.\n/,
    );
    expect(guarded.stdout).not.toContain("the cache ends here");
    const towards = await diff(entries, "--from", "3", "--to", "4");
    expect(towards.stdout).toMatch(/ the state at @4, whose request was not opened\.$/m);
    const same = await diff(entries, "--from", "4", "--to", "4");
    expect(same.stderr.match(/this request was asked for and not opened/g)).toHaveLength(1);
    expect(guarded.stderr).toMatch(
      /^note: \S+@4: this request was asked for and not opened; shown is the state/m,
    );
    const early = await diff(entries, "--from", "1", "--to", "7");
    expect(early.stdout).toContain("The state at @1 is a prefix of request @7.\n");
    expect(early.stderr).toMatch(/^note: \S+@1: no request was opened here/m);
    const { stdout } = await diff(entries, "--from", "4", "--to", "6", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      from: 4,
      to: 6,
      earlier: { opened: false, guarded: true },
      later: { opened: false, guarded: false },
    });
  });

  it("compares requests of a mapping that is not known under one that is", async () => {
    const acme = request({ mapping: "acme-chat@7" });
    const entries = [question("x"), acme, settled(2), question("y"), acme];
    const refused = await diff(entries);
    expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(refused.stderr).toContain('@2: unknown mapping "acme-chat@7": what stands here asks for it');
    expect(refused.stderr).toContain("--format <mapping> shows it under another one (openai-chat@1,");
    const shown = await diff(entries, "--format", "gemini");
    expect(shown.stdout).toContain("Request @2 is a prefix of request @5.\n");
    expect(shown.stderr).toMatch(/^note: \S+@2: shown under gemini@1, not under its own, acme-chat@7$/m);
    expect(await diff(entries, "--format", "nope")).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
