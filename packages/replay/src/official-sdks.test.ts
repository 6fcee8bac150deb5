import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { CONTRACT_VERSION, type StoredEvent } from "@promptfold/contract";
import type {
  AnthropicMessagesBody,
  OpenAiChatBody,
  OpenAiChatPartsBody,
  OpenAiResponsesBody,
} from "@promptfold/renderer";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replayRequest } from "./index.ts";

/** A provider that records the raw bytes it is sent and answers every call in the same way. */
class RecordingStub {
  readonly bodies: Buffer[] = [];
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      this.bodies.push(Buffer.concat(chunks));
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: "1", object: "stub", content: [], choices: [], output: [] }));
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const entries: readonly [type: string, payload: object][] = [
  ["agents/context-added", { role: "system", key: "persona", content: "Du bist „Ada“ 🌱.\u2028" }], // 1
  ["agents/context-added", { role: "user", content: "hi \u0000\u001f </script>" }], // 2
  ["agent/llm-request-requested", { model: "m", contractVersion: CONTRACT_VERSION }], // 3
  ["agents/context-added", { role: "assistant", content: " \n", llmRequestOffset: 3 }], // 4: dropped
  ["agent/llm-request-settled", { requestOffset: 3, result: { status: "succeeded" } }], // 5
  ["agents/context-added", { role: "user", content: "still there? \ud83c" }], // 6
  ["agent/llm-request-requested", { model: "m", contractVersion: CONTRACT_VERSION }], // 7
];
const events: readonly StoredEvent[] = entries.map(([type, payload], index) => ({
  offset: index + 1,
  type,
  payload,
  createdAt: `2026-03-02T09:00:0${index}.000Z`,
}));

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}

describe("the official SDKs send the bytes that replay shows", () => {
  const stub = new RecordingStub();
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    const baseURL = await stub.start();
    openai = new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });
    anthropic = new Anthropic({ apiKey: "none", baseURL, maxRetries: 0 });
  });
  afterAll(() => stub.stop());

  const calls: readonly [mapping: string, model: string, send: (body: unknown) => Promise<unknown>][] = [
    ["openai-chat@1", "gpt-5.6", (body) => openai.chat.completions.create(body as OpenAiChatBody)],
    ["openai-chat@2", "gpt-5.6", (body) => openai.chat.completions.create(body as OpenAiChatPartsBody)],
    ["openai-responses@1", "gpt-5.6", (body) => openai.responses.create(body as OpenAiResponsesBody)],
    [
      "anthropic-messages@1",
      "claude-opus-5",
      (body) => anthropic.messages.create(body as AnthropicMessagesBody),
    ],
  ];

  it.each(calls)("%s", async (mapping, model, send) => {
    const sentBefore = stub.bodies.length;
    for (const offset of [3, 7]) {
      const options = { mapping, model, stream: "/agents/web/demo", parameters: { maxOutputTokens: 100 } };
      const replayed = await replayRequest(events, offset, options);
      await send(replayed.body);
      const again = await replayRequest(events, offset, options);
      const recorded = stub.bodies.at(-1) ?? Buffer.of();
      expect(sha256(recorded)).toBe(sha256(JSON.stringify(again.body)));
      expect(recorded.toString("utf8")).not.toContain("/agents/web/demo");
    }
    // Each call sent one body: the last one recorded was its own.
    expect(stub.bodies).toHaveLength(sentBefore + 2);
  });
});
