import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { promptfold } from "../testing/run-in-process.ts";
import { startPromptfold } from "../testing/run-promptfold.ts";
import { writeFolder } from "../testing/write-folder.ts";

/** A server that speaks Chat Completions and records the bodies that it is sent. */
async function startServer(): Promise<{ bodies: string[]; env: Record<string, string> }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      const chunk = { choices: [{ delta: { content: "Well." }, finish_reason: "stop" }] };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { bodies, env: { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` } };
}

const place = ["--journal", "sqlite:a.db", "--stream", "/agents/a"];

it("request shows the bytes that an agent's provider was sent, and diff another model for agents that name none", async () => {
  const { bodies, env } = await startServer();
  const cwd = writeFolder({ "p.md": "Be kind. 🌱\n" });
  const call = async (...args: string[]) => {
    const ended = await promptfold(args, { cwd });
    expect(ended.exitCode).toBe(0);
    return ended;
  };
  await call("append", ...place, "--prompt", "p.md");
  // The birth window would keep a first request waiting.
  const config = { llmRequestDebounceMs: 0, mapping: "openai-chat@2" };
  await call(
    "append",
    ...place,
    "--event",
    JSON.stringify({ type: "agent/configured", payload: { config } }),
  );
  const offsets: string[] = [];
  const shown: string[] = [];
  for (const PROMPTFOLD_MODEL of ["", "gpt-5.6"]) {
    await call("append", ...place, "--message", "hi");
    const run = startPromptfold(["run", "--journal", "sqlite:a.db"], {
      cwd,
      env: { ...env, PROMPTFOLD_MODEL },
    });
    await run.said(" succeeded");
    run.child.kill("SIGTERM");
    const { stderr } = await run.ended;
    offsets.push(/@(\d+) .* a request to model/.exec(stderr)?.[1] ?? "");
    const body = await call("request", ...place, "--format", "body");
    expect(body.stderr).toBe("");
    shown.push(body.stdout);
  }
  const asksForStream = ',"stream":true,"stream_options":{"include_usage":true}}';
  expect(bodies).toEqual(shown.map((body) => body.replace(/\}\n$/, asksForStream)));
  expect(shown.map((body) => (JSON.parse(body) as { model: string }).model)).toEqual(["gpt-5", "gpt-5.6"]);
  expect(shown.map((body) => body.includes("prompt_cache_breakpoint"))).toEqual([false, true]);
  const [from = "", to = ""] = offsets;
  const diff = await call("diff", ...place, "--from", from, "--to", to);
  expect(diff.stdout).toMatch(/model.*gpt-5.*gpt-5\.6/);
});

/** An agent that answers at once, configured so, in a folder of its own. */
async function agentWith(config: Readonly<Record<string, string>>): Promise<string> {
  const cwd = writeFolder({ "p.md": "Be kind.\n" });
  const event = { type: "agent/configured", payload: { config: { llmRequestDebounceMs: 0, ...config } } };
  await promptfold(["append", ...place, "--prompt", "p.md"], { cwd });
  await promptfold(["append", ...place, "--event", JSON.stringify(event)], { cwd });
  return cwd;
}

it("a chat with an agent under a mapping of another API says so, sends nothing, and ends", async () => {
  const { bodies, env } = await startServer();
  const cwd = await agentWith({ mapping: "gemini@1", model: "gemini-3-pro" });
  const ended = await promptfold(["chat", ...place], { cwd, env, input: "hi\n" });
  expect(ended.exitCode).toBe(0);
  expect(ended.stderr).toContain(
    "no call was made: mapping gemini@1 makes no body that openai-chat at 127.0.0.1",
  );
  expect(ended.stderr).toMatch(
    /The agent is paused: no call was made: .*"agent\/configured".* and send the agent a message/,
  );
  expect(bodies).toEqual([]);
  const list = await promptfold(["request", ...place, "--list"], { cwd });
  expect(list.stdout).toMatch(/^@\d+ .* gemini-3-pro +gemini@1 +failed +no call was made: [^\n]+\n$/);
  const state = await promptfold(["state", ...place], { cwd });
  expect(state.stdout).toMatch(/^paused +yes$/m);
});

it.each([
  [{}, {}, "model gpt-5 (openai-chat at "],
  [{}, { PROMPTFOLD_MODEL: "gpt-5-mini" }, "model gpt-5-mini (openai-chat at "],
  [{ model: "default" }, {}, "model gpt-5 (openai-chat at "],
  [{ model: "acme-1" }, {}, "model acme-1 (openai-chat at "],
  [
    { model: "acme-1" },
    { OPENAI_API_KEY: "" },
    "model scripted (OPENAI_API_KEY is not set), in place of acme-1,",
  ],
])("a chat announces the model that is called: %j, %j", async (config, environment, words) => {
  const { bodies, env } = await startServer();
  const cwd = await agentWith(config);
  const { stderr } = await promptfold(["chat", ...place], {
    cwd,
    env: { ...env, ...environment },
    input: "hi\n",
  });
  expect(stderr).toContain(words);
  for (const body of bodies)
    expect(words).toContain(`model ${(JSON.parse(body) as { model: string }).model} (`);
  expect(bodies).toHaveLength("OPENAI_API_KEY" in environment ? 0 : 1);
  const isNamed = "model" in config && config.model !== "default";
  expect(stderr.includes("which the agent's configuration names")).toBe(isNamed);
});
