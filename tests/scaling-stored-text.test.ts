import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "@promptfold/journal";
import { foldEvents } from "@promptfold/fold";
import { renderRequest } from "@promptfold/renderer";
import { startPostgres, type PostgresServer } from "@promptfold/postgres-server";
import { afterAll, beforeAll, expect, test } from "vitest";

const stream = "/agents/stored";
const numbers = '{"z":1.0,"a":2,"aa":3,"e":1e2}';
/** The numbers as a payload, and inside the parts of payloads that reach a request: a parameter, an actor, a content. */
const events = [
  { type: "agent/created", payloadText: "{}" },
  { type: "agent/configured", payloadText: `{"config":{"parameters":${numbers},"model":"m"}}` },
  {
    type: "agents/context-added",
    payloadText: `{"role":"system","key":"k","content":"text","extra":${numbers}}`,
  },
  {
    type: "agents/context-added",
    payloadText: `{"role":"user","content":${JSON.stringify(numbers)},"actor":{"type":"user","about":${numbers}}}`,
  },
  { type: "agent/llm-request-requested", payloadText: `{"model":"m","parameters":${numbers}}` },
  { type: "test/numbers", payloadText: numbers },
];

let server: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "promptfold-stored-"));
  server = await startPostgres({ fsync: false });
}, 120_000);
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What a store gives back of the events, and the request that it renders to. */
async function storedBy(url: string): Promise<{ texts: string[]; body: string }> {
  const journal = await openJournal(url, { clock: () => Date.UTC(2026, 0, 1) });
  try {
    await journal.as({ processor: "test", trust: "inside" }).append(stream, events);
    const read = [];
    for await (const page of journal.read(stream)) read.push(...page);
    const { state } = foldEvents(read);
    const { body } = renderRequest(state, { stream });
    return { texts: read.map(({ payloadText }) => payloadText), body: JSON.stringify(body) };
  } finally {
    await journal.close();
  }
}

test("every store keeps a payload's text, and its requests are the same bytes", async () => {
  const memory = await storedBy("memory:");
  const sqlite = await storedBy(`sqlite:${join(folder, "journal.db")}`);
  const postgres = await storedBy(server.url);
  expect(memory.texts).toEqual(events.map(({ payloadText }) => payloadText));
  expect(Object.keys(JSON.parse(memory.texts[5] as string) as object)).toEqual(["z", "a", "aa", "e"]);
  expect(sqlite).toEqual(memory);
  expect(postgres).toEqual(memory);
  expect(memory.body).toContain(JSON.stringify(numbers).slice(1, -1));
});
