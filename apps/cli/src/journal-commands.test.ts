import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promptfold } from "./testing/run-in-process.ts";
import { startPromptfold, temporaryFolder } from "./testing/run-promptfold.ts";

const url = "sqlite:a.db";
const place = ["--journal", url, "--stream", "/agents/a"];

describe("commands on a journal", () => {
  it("a prompt file gives birth, then updates what changed, and goes through JSONL unharmed", async () => {
    const cwd = temporaryFolder();
    const run = (...args: string[]): ReturnType<typeof promptfold> => promptfold(args, { cwd });
    const prompt = (tone: string): void => {
      writeFileSync(
        join(cwd, "p.md"),
        `<section key="tone">\n${tone}\n</section>\n<section key="rest">\nsame\n</section>\n`,
      );
    };
    prompt("kind");
    expect((await run("append", ...place, "--prompt", "p.md")).stdout).toBe(
      "/agents/a: 4 events, @1 to @4\n",
    );
    prompt("brief");
    expect((await run("append", ...place, "--prompt", "p.md")).stdout).toBe("/agents/a: 1 event, @5\n");
    // A text that names a file is a text.
    expect((await run("append", ...place, "--message", "p.md")).stdout).toBe("/agents/a: 1 event, @6\n");
    const requested = '{"type":"agent/llm-request-requested","payload":{"model":"m"}}';
    await run("append", ...place, "--event", requested);
    await run(
      "append",
      ...place,
      "--event",
      '{"type":"agents/context-added","payload":{"role":"system","key":"tone","content":"loud"}}',
    );
    await run(
      "append",
      ...place,
      "--event",
      '{"type":"agent/llm-request-settled","payload":{"requestOffset":7,"result":{"status":"failed"}}}',
    );
    await run(
      "append",
      ...place,
      "--event",
      '{"type":"agents/context-rewritten","payload":{"op":"replace","key":"rest","content":"other"}}',
    );
    await run("append", ...place, "--event", requested);

    const diff = await run("diff", "--journal", url);
    expect(diff.stdout).toContain("Request @7 is not a prefix of request @11.");
    expect(diff.stdout).toContain("Cause: the rewrite of rest at @10.");
    expect(diff.stdout).toContain("Sections: tone changed (@8), rest changed (@10).");
    expect(JSON.parse((await run("diff", "--journal", url, "--json")).stdout)).toMatchObject({
      from: 7,
      to: 11,
      held: false,
    });

    expect((await run("export", ...place, "--out", "a.jsonl")).exitCode).toBe(0);
    expect((await run("import", "a.jsonl", "--journal", url, "--stream", "/b")).stdout).toBe(
      "/b: 11 events imported\n",
    );
    const [before, after, fromFile] = await Promise.all([
      run("request", ...place, "--at", "7", "--json"),
      run("request", "--journal", url, "--stream", "/b", "--at", "7", "--json"),
      run("request", "--events", "a.jsonl", "--at", "7", "--json"),
    ]);
    expect(JSON.parse(before.stdout)).toMatchObject({ offset: 7, opened: true, mapping: "openai-chat@1" });
    expect(after.stdout).toBe(before.stdout);
    expect(fromFile.stdout).toBe(before.stdout);
  });

  it("reading makes no journal, and says what is there when a name or an offset is not", async () => {
    const cwd = temporaryFolder();
    const nothing = await promptfold(["rules", ...place], { cwd });
    expect(nothing.exitCode).toBe(1);
    expect(readdirSync(cwd)).toEqual([]);
    await promptfold(["append", ...place, "--message", "hello"], { cwd });
    const [stream, offset] = await Promise.all([
      promptfold(["state", "--journal", url, "--stream", "/agents/b"], { cwd }),
      promptfold(["request", ...place, "--at", "9"], { cwd }),
    ]);
    expect(stream).toMatchObject({
      exitCode: 1,
      stderr: "error /agents/b: the journal holds no such stream; did you mean /agents/a?\n",
    });
    expect(offset).toMatchObject({
      exitCode: 1,
      stderr: "error /agents/a@9: no event stands there; the stream ends at @1, no request was opened\n",
    });
  });

  it("an import of a file that is not there makes no journal either", async () => {
    const cwd = temporaryFolder();
    const ended = await promptfold(["import", "none.jsonl", ...place], { cwd });
    expect(ended).toMatchObject({
      exitCode: 1,
      stderr: "error none.jsonl: there is no such file; check the path\n",
    });
    expect(existsSync(join(cwd, "a.db"))).toBe(false);
  });

  it("export and import show on a terminal, and nowhere else, how far they have come", async () => {
    const cwd = temporaryFolder();
    const event = { type: "t", createdAt: "2026-01-01T00:00:00.000Z", payload: { text: "x".repeat(1_000) } };
    const line = (index: number): string => JSON.stringify({ offset: index + 1, ...event });
    writeFileSync(
      join(cwd, "a.jsonl"),
      `${Array.from({ length: 600 }, (_, index) => line(index)).join("\n")}\n`,
    );
    const into = (stream: string): string[] => ["import", "a.jsonl", "--journal", url, "--stream", stream];
    const out = ["export", "--journal", url, "--stream", "/a"];
    const seen = await promptfold(into("/a"), { cwd, stderrIsTerminal: true });
    expect(seen.stderr).toMatch(/^\r\u001b\[K500 events imported, 0\.5 of 0\.7 MB \(8\d %\)[^]*\r\u001b\[K$/);
    expect(seen.stdout).toBe("/a: 600 events imported\n");
    const written = await promptfold([...out, "--out", "b.jsonl"], { cwd, stderrIsTerminal: true });
    expect(written.stderr).toMatch(
      /^\r\u001b\[K\d+ events written, 0\.\d MB[^]*\r\u001b\[K\/a: 600 events exported\n$/,
    );
    const broken = await promptfold(["import", "b.jsonl", "--journal", url, "--stream", "/a"], {
      cwd,
      stderrIsTerminal: true,
    });
    expect(broken.stdout).toBe("/a: 0 events imported, 600 were there already\n");

    expect(await promptfold(into("/b"), { cwd })).toMatchObject({ stderr: "" });
    expect(await promptfold(out, { cwd })).toMatchObject({ stderr: "/a: 600 events exported\n" });
  });

  it("keeps control characters of messages away from the terminal", async () => {
    const cwd = temporaryFolder();
    await promptfold(["append", ...place, "--message", "a\u001b[2Jb\u009bc\u202ed"], { cwd });
    const { stdout } = await promptfold(["request", ...place, "--at", "1"], { cwd });
    expect(stdout).toContain("a\\u001b[2Jb\\u009bc\\u202ed");
  });

  it("ends quietly when the reader has enough", async () => {
    const cwd = temporaryFolder();
    const lines = Array.from({ length: 10_000 }, (_, index) =>
      JSON.stringify({
        offset: index + 1,
        type: "t",
        createdAt: "2026-01-01T00:00:00.000Z",
        payload: { text: "x".repeat(100) },
      }),
    );
    writeFileSync(join(cwd, "a.jsonl"), `${lines.join("\n")}\n`);
    await promptfold(["import", "a.jsonl", ...place], { cwd });
    for (let round = 0; round < 3; round += 1) {
      const { child, ended } = startPromptfold(["export", ...place], { cwd });
      child.stdout.once("data", () => child.stdout.destroy());
      expect(await ended).toMatchObject({ exitCode: 0, stderr: "" });
    }
  });

  it("chat answers lines from a pipe", async () => {
    const ended = await promptfold(["chat", "--journal", url], {
      cwd: temporaryFolder(),
      input: "How long is it?\n",
    });
    expect(ended.stdout).toMatch(
      /^you › How long is it\?\nagent › I'll read my own stream[^]+\nagent › My prompt has 9 sections/,
    );
    expect(ended.stderr).toContain("· Measuring the prompt …");
    expect(ended.exitCode).toBe(0);
  });

  it("doctor names the lines of a file where the prefix broke, and why", async () => {
    const cwd = temporaryFolder();
    const body = (time: string, ...messages: readonly string[]): string =>
      JSON.stringify({
        model: "gpt-5",
        messages: [
          { role: "system", content: `The time is 2026-01-01T${time}:00Z. ${"Be kind. ".repeat(1_000)}` },
          ...messages.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
        ],
      });
    writeFileSync(join(cwd, "prices.json"), '{"gpt-5": {"input": 1.25, "cachedInput": 0.125}}');
    const bodies = [
      body("10:00", "a"),
      body("10:00", "a", "b", "c"),
      "",
      body("10:01", "a", "b", "c", "d", "e"),
    ];
    writeFileSync(join(cwd, "bodies.jsonl"), bodies.join("\n"));
    const [text, json, good, none] = await Promise.all([
      promptfold(["doctor", "bodies.jsonl", "--prices", "prices.json"], { cwd }),
      promptfold(["doctor", "bodies.jsonl", "--json"], { cwd }),
      promptfold(["doctor", "-"], { cwd, input: bodies.slice(0, 2).join("\n") }),
      promptfold(["doctor", "none.jsonl"], { cwd }),
    ]);
    expect(text.stdout).toMatch(
      /^bodies\.jsonl:4: a clock in the prompt \(compared with bodies\.jsonl:2\)$/m,
    );
    expect(text.stdout).toContain("$");
    expect(text.exitCode).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ bodies: 3, breaks: [{ body: 2, cause: "clock" }] });
    expect(good).toMatchObject({ exitCode: 0, stderr: "" });
    expect(none).toMatchObject({
      exitCode: 1,
      stderr: "error none.jsonl: there is no such file; check the path\n",
    });
  });
});
