import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { openJournal } from "@promptfold/journal";
import { describe, expect, it, onTestFinished } from "vitest";
import { promptfold } from "../testing/run-in-process.ts";
import { startPromptfold, temporaryFolder } from "../testing/run-promptfold.ts";

const journal = "sqlite:.promptfold/demo.db";

function streamOf(stderr: string): string {
  return /^stream +(\S+)$/m.exec(stderr)?.[1] ?? "";
}

describe("the demonstration", () => {
  it("runs to its end, twice on one journal, which then answers for every request", async () => {
    const cwd = temporaryFolder();
    const first = await promptfold(["demo"], { cwd });
    expect(first.stderr).toContain("model    scripted (OPENAI_API_KEY is not set)");
    expect(first.exitCode).toBe(0);
    for (const text of [
      "codemode-tag       section output-formatting",
      "Request 1, opened at @15: 4 messages",
      "the shared prefix ends here: 4 messages",
      "✓ request 1 is a byte prefix of request 2",
      "✓ replay rebuilds from the stream the very bytes that the model was sent",
      "My prompt has 9 sections",
      "Changed since I was born: `output-formatting` (by codemode-tag, offset 13)",
      journal,
    ]) {
      expect(first.stdout).toContain(text);
    }
    expect(first.stdout).not.toContain("\u001b");
    expect(first.stderr).toContain("a request to model scripted, mapping openai-chat@1");

    const second = await promptfold(["demo"], { cwd, env: { FORCE_COLOR: "1" } });
    expect(second.exitCode).toBe(0);
    expect(second.stdout).toContain("\u001b[32m✓");
    expect(streamOf(second.stderr)).not.toBe(streamOf(first.stderr));

    // The commands that the demonstration recommends, word for word.
    const commands = [...first.stdout.matchAll(/^npx promptfold (.+)$/gm)].map(([, command = ""]) =>
      command.split(" "),
    );
    expect(commands.map(([name]) => name)).toEqual(["request", "diff", "rules", "state", "chat"]);
    const ended = await Promise.all(commands.map((command) => promptfold(command, { cwd })));
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
    const [request, diff, rules, state] = ended;
    expect(request?.stdout).toContain("How long is your prompt, and has anybody changed it?");
    expect(diff?.stdout).toContain("Request @15 is a prefix of request @22.");
    expect(rules?.stdout).toMatch(/^output-formatting +system +since @13/m);
    expect(state?.stdout).toMatch(/^presence +idle$/m);
  });

  it("works as well when each worker runs in a process of its own", async () => {
    const cwd = temporaryFolder();
    const url = "sqlite:agents.db";
    const run = startPromptfold(["run", "--journal", url], { cwd });
    const worker = startPromptfold(["worker", "--journal", url, "--quiet"], { cwd });
    await Promise.all([run.said("Ctrl-C ends it"), worker.said("Ctrl-C ends it")]);
    const demo = await promptfold(["demo", "--journal", url, "--no-workers"], { cwd });
    expect(demo.stdout).toContain("✓ request 1 is a byte prefix of request 2");
    expect(demo.stdout).toContain("Changed since I was born: `output-formatting` (by codemode-tag");
    expect(demo.exitCode).toBe(0);
    run.child.kill("SIGTERM");
    worker.child.kill("SIGINT");
    expect(await Promise.all([run.ended, worker.ended])).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
  });

  it("calls a real model only when asked, with the key and at the address of the environment", async () => {
    const bodies: { model: string; messages: unknown[] }[] = [];
    const replies = [
      'Looking.\n\n<codemode status="Counting">\nreturn (await host.prompts.list()).length;\n</codemode>',
      "There are some prompts.",
    ];
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        bodies.push(body as (typeof bodies)[number]);
        const content = replies[bodies.length - 1];
        const chunk = { choices: [{ delta: { content }, finish_reason: "stop" }] };
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const cwd = temporaryFolder();
    const [real, scripted] = [
      await promptfold(["demo", "--model", "gpt-5-mini"], { cwd, env }),
      await promptfold(["demo"], { cwd, env }),
    ];
    expect(real.stderr).toContain(`model    gpt-5-mini (openai-chat at 127.0.0.1:${port})`);
    expect(real.stdout).toContain("There are some prompts.");
    expect(real.stdout).toContain(
      "the very bytes that the model was sent, stream and stream_options aside\n",
    );
    expect(real.exitCode).toBe(0);
    expect(bodies.map(({ model }) => model)).toEqual(["gpt-5-mini", "gpt-5-mini"]);
    const [first, second] = bodies;
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
    expect(scripted.stderr).toContain("model    scripted (name another with --model");
    expect(scripted.exitCode).toBe(0);
  });

  it("says what is missing when nobody answers", async () => {
    const cwd = temporaryFolder();
    const ended = await promptfold(["demo", "--no-workers", "--timeout", "0.5"], { cwd });
    expect(ended.exitCode).toBe(1);
    expect(ended.stderr).toContain("npx promptfold run --journal sqlite:.promptfold/demo.db");
    expect(ended.stderr).toMatch(
      /^error \/agents\/demo\/\S+: no answer within 0\.5 s: nobody has opened the request;/m,
    );
  });

  it("killed at any moment, it leaves a journal that the next run reads", async () => {
    const cwd = temporaryFolder();
    // Before the birth, after it, during the first request, and while the script runs.
    for (const moment of ["workers ", "the agent is born", "a request to model", "script: "]) {
      const { child, ended, said } = startPromptfold(["demo"], { cwd });
      await said(moment);
      child.kill("SIGKILL");
      expect(await ended).toMatchObject({ signal: "SIGKILL" });
    }
    const next = await promptfold(["demo"], { cwd });
    expect(next.stdout).toContain("✓ request 1 is a byte prefix of request 2");
    expect(next.exitCode).toBe(0);

    const opened = await openJournal(`sqlite:${join(cwd, ".promptfold", "demo.db")}`);
    for await (const stream of opened.streams()) {
      const events = [];
      for await (const page of opened.read(stream)) events.push(...page);
      expect(events.map(({ offset }) => offset)).toEqual(events.map((_, index) => index + 1));
      // The birth is there as a whole or not at all.
      expect(events.filter(({ idempotencyKey }) => idempotencyKey?.startsWith("birth/"))).toHaveLength(11);
    }
    await opened.close();
  });

  it("ends in good order on Ctrl-C", async () => {
    const cwd = temporaryFolder();
    const { child, ended, said } = startPromptfold(["demo", "--no-workers"], { cwd });
    await said("user: How long");
    child.kill("SIGINT");
    const { exitCode, stderr } = await ended;
    expect(stderr).toContain("Interrupted. The journal keeps what happened so far");
    expect(exitCode).toBe(130);
    expect(existsSync(join(cwd, ".promptfold", "demo.db"))).toBe(true);
  });
});
