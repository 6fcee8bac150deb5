import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unwrapBody } from "@promptfold/replay";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GuideFolder, readGuideSteps } from "./guide-folder.ts";
import { root } from "./list-packages.ts";

const guide = readFileSync(join(root, "docs", "doctor.md"), "utf8");
const steps = readGuideSteps(guide);
const folder = new GuideFolder();
const received: { readonly url: string; readonly body: string }[] = [];
const provider: Server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    received.push({ url: request.url ?? "", body: Buffer.concat(chunks).toString() });
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "1", object: "stub", content: [], choices: [] }));
  });
});
let address = "";

beforeAll(async () => {
  // What the guide's commands find in the root of a clone after `npm start`.
  symlinkSync(join(root, "examples"), join(folder.path, "examples"));
  mkdirSync(join(folder.path, ".promptfold"));
  for (const name of ["openai", "@anthropic-ai/sdk"]) {
    const link = join(folder.path, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "packages", "replay", "node_modules", name), link);
  }
  for (const step of steps) if (step.kind === "file") folder.write(step.path, step.text);
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => provider.close(resolve));
  folder.remove();
});

/** What a program recorded, line by line. */
function readLines(file: string): unknown[] {
  const text = readFileSync(join(folder.path, file), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

/** Runs a program of the guide's reader: what the guide says that they write, and more lines of their own. */
async function runProgram(name: string, code: string): Promise<void> {
  folder.write(name, code);
  received.length = 0;
  const keys = { OPENAI_API_KEY: "sk-secret", ANTHROPIC_API_KEY: "sk-secret" };
  const addresses = { OPENAI_BASE_URL: `${address}/v1`, ANTHROPIC_BASE_URL: address, ADDRESS: address };
  const command = name.endsWith(".py") ? "python3" : "node";
  expect(await folder.run(`${command} ${name}`, { ...keys, ...addresses })).toEqual({
    printed: "",
    exitCode: 0,
  });
}

test("a reader who follows the guide sees what it shows", async () => {
  expect(steps.filter(({ kind }) => kind === "commands")).toHaveLength(2);
  for (const step of steps) {
    if (step.kind !== "commands") continue;
    expect(await folder.runBlock(step.block, /[1-9]\d* breaks?\./)).toBe(step.block);
  }
});

test("the log that is shipped is what its agent sends", async () => {
  const agent = fileURLToPath(new URL("../examples/doctor/agent.mjs", import.meta.url));
  expect(await folder.run(`node "${agent}" again.jsonl`)).toEqual({ printed: "", exitCode: 0 });
  const shipped = readFileSync(join(root, "examples", "doctor", "requests.jsonl"), "utf8");
  expect(readFileSync(join(folder.path, "again.jsonl"), "utf8")).toBe(shipped);
});

test("the hook of the guide is the one that is shipped, and is named where it is shown", () => {
  const files = steps.filter((step) => step.kind === "file");
  expect(files.map(({ path }) => path)).toEqual(["record-requests.mjs", "agent.mjs", "record_requests.py"]);
  const shipped = readFileSync(join(root, "examples", "doctor", "record-requests.mjs"), "utf8");
  expect(files[0]?.text).toBe(shipped);
  for (const { path, intro } of [files[0], files[2]].flatMap((step) => step ?? []))
    expect(intro).toContain(`\`${path}\``);
});

test("the official SDKs' requests are recorded byte for byte, and nothing else of them", async () => {
  const agent = readFileSync(join(folder.path, "agent.mjs"), "utf8");
  await runProgram(
    "sdks.mjs",
    `${agent}
const messages = [{ role: "user", content: "naïve 🌱\\nquestion" }];
await openai.chat.completions.create({ model: "gpt-5", messages });
await openai.responses.create({ model: "gpt-5", input: messages });
await anthropic.messages.create({ model: "claude-opus-5", max_tokens: 9, messages });
await openai.models.list();
`,
  );
  const paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];
  expect(received.map(({ url }) => url)).toEqual([...paths, "/v1/models"]);
  const lines = readFileSync(join(folder.path, "requests.jsonl"), "utf8").split("\n");
  expect(lines).toEqual([
    ...received.slice(0, 3).map(({ url, body }) => `{"url":${JSON.stringify(address + url)},"body":${body}}`),
    "",
  ]);
});

test("what the global fetch sends to a model is recorded on one line, without keys in the address", async () => {
  await runProgram(
    "global.mjs",
    `import { recordingFetch } from "./record-requests.mjs";
globalThis.fetch = recordingFetch("global.jsonl");
const { ADDRESS } = process.env;
const gemini = ADDRESS + "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse&key=secret";
await fetch(gemini, { method: "POST", body: JSON.stringify({ contents: [] }, null, 2) });
await fetch(new Request(ADDRESS + "/chat/completions", { method: "POST", body: '{"messages":[]}' }));
await fetch(new URL("/embeddings", ADDRESS), { method: "POST", body: "{}" });
await fetch(ADDRESS + "/messages");
`,
  );
  expect(received).toHaveLength(4);
  expect(readLines("global.jsonl")).toEqual([
    { url: `${address}/v1beta/models/gemini-3-pro:streamGenerateContent`, body: { contents: [] } },
    { url: `${address}/chat/completions`, body: { messages: [] } },
  ]);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!hasPython)("the hook for httpx writes what the doctor reads", async () => {
  // httpx itself is not at hand: a request that has what the hook uses of httpx's.
  await runProgram(
    "hook.py",
    `from record_requests import recording

class Url:
    def __init__(self, path, query="?key=secret"): self.path, self.query = path, query
    def copy_with(self, query): return Url(self.path, query or "")
    def __str__(self): return "https://example.test" + self.path + self.query

class Request:
    def __init__(self, path): self.url = Url(path)
    def read(self): return '{"messages":\\n["naïve 🌱"]}'.encode()

record = recording("hook.jsonl")
for path in ["/v1/chat/completions", "/v1/models", "/v1/messages"]: record(Request(path))
`,
  );
  const body = '{"messages":\n["naïve 🌱"]}';
  expect(readLines("hook.jsonl")).toEqual([
    { url: "https://example.test/v1/chat/completions", body },
    { url: "https://example.test/v1/messages", body },
  ]);
  expect(unwrapBody({ url: "x", body })).toEqual({ messages: ["naïve 🌱"] });
});

test("bodies are read in each field that the guide names", () => {
  const [, list = ""] = /fields deep, in ([^.]+)\. An address/.exec(guide) ?? [];
  const names = [...list.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
  expect(names).toHaveLength(15);
  const body = { model: "gpt-5", messages: [{ role: "user", content: "hi" }] };
  for (const name of names) {
    expect(unwrapBody({ id: 1, [name]: body }), name).toEqual(body);
    // A text in this field is what a body of the Responses API asks.
    if (name === "input") continue;
    expect(unwrapBody({ id: 1, [name]: JSON.stringify(body) }), name).toEqual(body);
  }
});

test("the files that the guide names are there, and it packs what the guide for authors packs", () => {
  const links = [...guide.matchAll(/\]\((\.\.?\/[^)#]+)[)#]/g)].map(([, link = ""]) => link);
  expect(links.length).toBeGreaterThan(2);
  for (const link of links) expect(readFileSync(join(root, "docs", link), "utf8")).not.toBe("");
  const pack = /npx (pnpm \S+ "\S+" exec pnpm pack)/;
  const authors = readFileSync(join(root, "docs", "authors.md"), "utf8");
  expect(pack.exec(guide)?.[1]).toBe(pack.exec(authors)?.[1]);
});
