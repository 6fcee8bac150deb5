import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Diagnosis } from "@promptfold/replay";
import { describe, expect, it } from "vitest";
import { readBodies } from "./input/read-bodies.ts";
import { promptfold } from "./testing/run-in-process.ts";
import { temporaryFolder } from "./testing/run-promptfold.ts";

const rules = "Be kind. ".repeat(1_000);

function body(time: string, length: number): object {
  return {
    model: "gpt-5",
    messages: [
      { role: "system", content: `The time is 2026-01-01T${time}:00Z. ${rules}` },
      ...["a", "b", "c", "d", "e"]
        .slice(0, length)
        .map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
    ],
  };
}

const bodies = [body("10:00", 1), body("10:00", 3), body("10:01", 5)];

describe("promptfold doctor", () => {
  it.each([
    ["a list on one line", JSON.stringify(bodies), "f:1[2]", "f:1[1]"],
    ["a list over several lines", `\n${JSON.stringify(bodies, null, 2)}\n`, "f[2]", "f[1]"],
    [
      "a list of a body on each line",
      `[\n${bodies.map((each) => JSON.stringify(each)).join(",\n")}\n]`,
      "f[2]",
      "f[1]",
    ],
    ["a list in a log's object", JSON.stringify({ data: bodies }, null, 1), "f[2]", "f[1]"],
  ])("reads %s as its bodies", async (_, text, now, before) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "f"), text);
    const { stdout, exitCode } = await promptfold(["doctor", "f"], { cwd });
    expect(stdout).toContain(`${now}: a clock in the prompt (compared with ${before})`);
    expect(stdout).toContain("3 bodies in 1 conversation, 1 break.");
    expect(exitCode).toBe(1);
  });

  it("reads one body over several lines, and goes on after a first line that is cut off", async () => {
    const cwd = temporaryFolder();
    const one = await promptfold(["doctor", "-"], { cwd, input: JSON.stringify(bodies[0], null, 2) });
    expect(one).toMatchObject({ exitCode: 0, stderr: "" });
    expect(one.stdout).toContain("1 body in 1 conversation");
    const lines = ['{"messages": [', ...bodies.slice(0, 2).map((each) => JSON.stringify(each))];
    const cut = await promptfold(["doctor", "-"], { cwd, input: lines.join("\n") });
    expect(cut.stdout).toContain("<stdin>:1: passed over, not a provider body: it is not JSON");
    expect(cut.stdout).toContain("2 bodies in 1 conversation");
  });

  it.each([
    [
      ". for bodies one after the other",
      bodies.map((each) => JSON.stringify(each, null, 2)).join("\n"),
      "jq -c .",
    ],
    ["'.[]' for a list that does not end", JSON.stringify(bodies, null, 2).slice(0, -2), "jq -c '.[]'"],
  ])("says once to use jq -c %s", async (_, input, advice) => {
    const { stdout, stderr, exitCode } = await promptfold(["doctor", "-"], { cwd: temporaryFolder(), input });
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toContain(`write one body a line, as \`${advice}\` does`);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("says the same of a list that is too long to be held", async () => {
    async function* lines(): AsyncGenerator<string, void, void> {
      await Promise.resolve();
      yield "[";
      for (;;) yield '  "a line of a list without end",';
    }
    await expect(readBodies(lines(), "f", 10_000).next()).rejects.toThrow("jq -c '.[]'");
  });

  it("drops a byte-order mark, and refuses a line that is not UTF-8", async () => {
    const cwd = temporaryFolder();
    const lines = bodies.slice(0, 2).map((each) => JSON.stringify(each));
    const marked = await promptfold(["doctor", "-"], { cwd, input: `\ufeff${lines.join("\r\n")}\r\n` });
    expect(marked).toMatchObject({ exitCode: 0, stderr: "" });
    expect(marked.stdout).toContain("2 bodies in 1 conversation, no break");
    const broken = [
      Buffer.from(`${lines.join("\n")}\n{"a":"`),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}\n'),
    ];
    writeFileSync(join(cwd, "f"), Buffer.concat(broken));
    expect(await promptfold(["doctor", "f"], { cwd })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "error f:3: the file is not UTF-8 text; save it as UTF-8\n",
    });
  });

  it("reads characters and lines that stand in two chunks", async () => {
    const input = bodies
      .slice(0, 2)
      .map((each) => JSON.stringify({ ...each, note: "é😀".repeat(50_000) }))
      .join("\n");
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "f"), input);
    expect((await promptfold(["doctor", "f"], { cwd })).stdout).toContain(
      "2 bodies in 1 conversation, no break",
    );
  });

  it("keeps whole prompts out of its JSON", async () => {
    const input = bodies.map((each) => JSON.stringify(each)).join("\n");
    const { stdout } = await promptfold(["doctor", "-", "--json"], { cwd: temporaryFolder(), input });
    expect(stdout.length).toBeLessThan(3_000);
    expect(JSON.parse(stdout)).toMatchObject({
      breaks: [{ place: { previous: { cutBefore: 0, cutAfter: expect.any(Number) as number } } }],
    });
  });

  it("prices a model by its own name, and says when it has no price", async () => {
    const cwd = temporaryFolder();
    const input = bodies.map((each) => JSON.stringify({ ...each, model: "gpt-5-mini" })).join("\n");
    writeFileSync(join(cwd, "p.json"), JSON.stringify({ "gpt-5": { input: 1.25, cachedInput: 0.125 } }));
    const { stdout } = await promptfold(["doctor", "-", "--prices", "p.json"], { cwd, input });
    expect(stdout).toContain("No price is known for gpt-5-mini: what it lost is not in any amount.");
    expect(stdout).not.toContain("$");
  });

  it("refuses prices that would make a loss a gain", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "p.json"), JSON.stringify({ "gpt-5": { input: 0.125, cachedInput: 1.25 } }));
    const { stdout, stderr, exitCode } = await promptfold(["doctor", "-", "--prices", "p.json"], {
      cwd,
      input: "",
    });
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
    expect(stderr).toContain(
      "p.json: the price of gpt-5 has a `cachedInput` above its `input`: are the two exchanged?",
    );
  });

  it("says in its JSON where each body stands in the file", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "f"), `${bodies.map((each) => JSON.stringify(each)).join("\n\n")}\n{}\n`);
    const { stdout } = await promptfold(["doctor", "f", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      breaks: [{ body: 2, at: "f:5", line: 5, previous: 1, previousAt: "f:3", previousLine: 3 }],
      unreadable: [{ body: 3, at: "f:6", line: 6 }],
    });
  });

  const clocks = Array.from({ length: 6 }, (_, index) => body(`10:0${index}`, 1));

  it("tells three breaks of a kind, or each, and what they come to", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "p.json"), JSON.stringify({ "gpt-5": { input: 1.25, cachedInput: 0.125 } }));
    const input = [...clocks, ...Array.from({ length: 5 }, () => ({}))]
      .map((each) => JSON.stringify(each))
      .join("\n");
    const run = async (...more: string[]): Promise<string> => {
      const { stdout, exitCode } = await promptfold(["doctor", "-", "--prices", "p.json", ...more], {
        cwd,
        input,
      });
      expect(exitCode).toBe(1);
      return stdout;
    };
    const some = await run();
    expect(some.match(/\(compared with /g)).toHaveLength(3);
    expect(some).toContain("  alike   2 more breaks, the next in <stdin>:5; --all tells each\n");
    expect(some).toContain("  alike   <stdin>:8, <stdin>:9, 2 more; --all tells each\n");
    const overview =
      /^ {2}(\d+) tokens {2}\$([\d.]+) {2}5 times {2}a clock in the prompt, messages\[0\]\.content, system, first in <stdin>:2$/m;
    const [, tokens, money] = overview.exec(some) ?? [];
    expect(some).toContain(`, ${tokens} lost ($${money}).`);
    const all = await run("--all");
    expect(all.match(/\(compared with /g)).toHaveLength(5);
    expect(all).toContain("  alike   <stdin>:8, <stdin>:9, <stdin>:10, <stdin>:11\n");
    expect(all).toMatch(overview);
    expect(all).not.toContain("--all");
    for (const more of [[], ["--all"]]) {
      const diagnosis = JSON.parse(await run("--json", ...more)) as Diagnosis;
      expect(diagnosis.breaks).toHaveLength(5);
      expect(diagnosis).toMatchObject({
        causes: [
          {
            cause: "clock",
            path: "messages[0].content",
            role: "system",
            count: 5,
            first: 1,
            at: "<stdin>:2",
            line: 2,
            lostTokens: diagnosis.lostTokens,
            lostMoney: diagnosis.lostMoney,
            also: [],
          },
        ],
      });
    }
  });

  it("has no cause in its JSON where nothing breaks", async () => {
    const { stdout, exitCode } = await promptfold(["doctor", "-", "--json"], {
      cwd: temporaryFolder(),
      input: bodies
        .slice(0, 2)
        .map((each) => JSON.stringify(each))
        .join("\n"),
    });
    expect(JSON.parse(stdout)).toMatchObject({ breaks: [], causes: [] });
    expect(exitCode).toBe(0);
  });

  it("says in its JSON where the body stands whose cache serves another", async () => {
    const turns = Array.from({ length: 5 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `${index} ${"word ".repeat(1500)}`,
    }));
    const input = ["gpt-5", "gpt-5-mini", "gpt-5"]
      .map((model, index) => JSON.stringify({ model, messages: turns.slice(0, 2 * index + 1) }))
      .join("\n\n");
    const { stdout } = await promptfold(["doctor", "-", "--json"], { cwd: temporaryFolder(), input });
    expect(JSON.parse(stdout)).toMatchObject({
      breaks: [{ body: 1 }, { body: 2, servedBy: 0, servedByAt: "<stdin>:1", servedByLine: 1 }],
    });
  });

  it("reads the bodies in a HAR file, among other requests", async () => {
    const cwd = temporaryFolder();
    const entries = [
      { request: { method: "GET", url: "https://x/" } },
      ...bodies.map((each) => ({
        request: { method: "POST", postData: { mimeType: "application/json", text: JSON.stringify(each) } },
        response: { content: { text: "{}" } },
      })),
    ];
    for (const indent of [0, 2]) {
      writeFileSync(join(cwd, "f.har"), JSON.stringify({ log: { version: "1.2", entries } }, null, indent));
      const { stdout } = await promptfold(["doctor", "f.har"], { cwd });
      expect(stdout).toContain(
        indent === 0
          ? "f.har:1.log.entries[3]: a clock in the prompt (compared with f.har:1.log.entries[2])"
          : "f.har.log.entries[3]: a clock in the prompt (compared with f.har.log.entries[2])",
      );
      expect(stdout).toContain("3 bodies in 1 conversation, 1 break.");
    }
    writeFileSync(
      join(cwd, "f.har"),
      JSON.stringify({ log: { version: "1.2", entries: entries.slice(0, 1) } }),
    );
    const { stdout, exitCode } = await promptfold(["doctor", "f.har"], { cwd });
    expect(stdout).toContain("it is a HAR file in which no request has a body of a known API");
    expect(exitCode).toBe(1);
  });

  it("exits with 1 where nothing asks for a cache that has to be asked for", async () => {
    const unmarked = bodies
      .slice(0, 2)
      .map((each) => JSON.stringify({ ...each, model: "claude-sonnet-4-5" }));
    const { stdout, exitCode } = await promptfold(["doctor", "-"], {
      cwd: temporaryFolder(),
      input: unmarked.join("\n"),
    });
    expect(stdout).toContain("no cache marks, first in <stdin>:1\n");
    expect(exitCode).toBe(1);
  });

  const system = { role: "system", content: rules };
  const agent = (...messages: object[]): object => ({ model: "gpt-5", messages: [system, ...messages] });
  const lines = (...each: unknown[]): string => each.map((value) => JSON.stringify(value)).join("\n");

  it("takes the bodies of one agent for those of one API, and reads them as another where that is named", async () => {
    const hi = { role: "user", content: "hi" };
    const input = lines(
      agent(hi),
      agent(
        hi,
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "f", input: {} }] },
        { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "f", output: "r" }] },
      ),
    );
    const cwd = temporaryFolder();
    for (const format of [[], ["--format", "ai-sdk"]]) {
      const { stdout, exitCode } = await promptfold(["doctor", "-", ...format], { cwd, input });
      expect(stdout).toContain("2 bodies in 1 conversation, no break.");
      expect(exitCode).toBe(0);
    }
    const gemini = await promptfold(["doctor", "-", "--format", "gemini"], { cwd, input });
    expect(gemini.stdout).toContain(
      "<stdin>:1: passed over, it has no `contents`, which every body of gemini has",
    );
    const unknown = await promptfold(["doctor", "-", "--format", "chat"], { cwd, input });
    expect(unknown).toMatchObject({ exitCode: 2, stdout: "" });
    expect(unknown.stderr).toContain("openai-chat, openai-responses, anthropic-messages, gemini, ai-sdk");
  });

  it.each([
    ["a line", (request: object, id: string) => ({ request, response: { id } })],
    [
      "a list",
      (request: object, id: string) => [
        { request, response: { id } },
        { request: agent(), response: {} },
      ],
    ],
  ])("compares a request with the one that it goes on from on the server, each in %s", async (_, wrap) => {
    const request = (instructions: string, more: object = {}): object => ({
      model: "gpt-5",
      instructions: `${instructions} ${rules}`,
      input: [{ role: "user", content: "hi" }],
      ...more,
    });
    const input = lines(
      wrap(request("A"), "resp_1"),
      wrap(request("B", { previous_response_id: "resp_1" }), "resp_2"),
    );
    const { stdout, exitCode } = await promptfold(["doctor", "-"], { cwd: temporaryFolder(), input });
    expect(stdout).toContain("the system text was edited (compared with <stdin>:1");
    expect(stdout).toContain("; 1 could be linked by the identifiers of responses");
    expect(exitCode).toBe(1);
  });

  it("leaves out what only counts tokens, which is no fault, and keeps the places of all others", async () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const claude = (limit: object, extra: object): object => ({
      model: "claude-opus-5",
      ...limit,
      system: [{ type: "text", text: rules, ...extra }],
      messages: [{ role: "user", content: "hi" }],
    });
    const [count, request] = [claude({}, {}), claude({ max_tokens: 9 }, mark)];
    const at = (path: string, body: object): object => ({ url: `https://api.anthropic.com${path}`, body });
    const logs = [
      lines(count, request, count, request),
      lines(at("/v1/messages/count_tokens", count), at("/v1/messages", request), request),
    ];
    for (const input of logs) {
      const { stdout, exitCode } = await promptfold(["doctor", "-"], { cwd: temporaryFolder(), input });
      expect(stdout).toContain("2 bodies in 1 conversation, no break");
      expect(stdout).toMatch(/^Note: [12] calls? that only counts? tokens (?:is|are) left out/m);
      expect(exitCode).toBe(0);
    }
  });
});
