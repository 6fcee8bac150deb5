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
