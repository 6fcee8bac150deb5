import { describe, expect, it } from "vitest";
import { diagnoseBodies, formatDiagnosis } from "../../index.ts";

const request = { model: "gpt-5", messages: [{ role: "user", content: "q" }] };

describe("a line that is a response", () => {
  it.each([
    ["of Chat Completions", { id: "1", object: "chat.completion", choices: [] }],
    ["in pieces", { object: "chat.completion.chunk", choices: [{ delta: {} }] }],
    ["of Responses", { id: "resp_1", object: "response", output: [] }],
    ["of Anthropic", { type: "message", role: "assistant", content: [], usage: {} }],
    ["in Anthropic's events", { type: "content_block_delta", index: 0, delta: {} }],
    ["of Gemini", { candidates: [], usageMetadata: {} }],
    ["that is an error", { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }],
    ["in a log's object", { direction: "response", body: { choices: [] } }],
    ["as text in one", { event: "done", response: JSON.stringify({ choices: [] }) }],
  ])("is left out and no fault: %s", (_, response) => {
    const diagnosis = diagnoseBodies([request, response, JSON.stringify(response)]);
    expect(diagnosis).toMatchObject({
      bodies: 1,
      unreadable: [],
      notes: [{ kind: "responses", isFault: false, count: 2, first: 1 }],
    });
    expect(formatDiagnosis(diagnosis)).toContain(
      "Note: 2 responses are left out: requests alone have a prefix.",
    );
  });

  it.each([
    ["nothing that is known", { a: 1 }],
    ["a tool's result", { type: "function_call_output", output: { choices: 1 } }],
    ["a list", [1, 2]],
  ])("is not %s", (_, value) => {
    expect(diagnoseBodies([value])).toMatchObject({ bodies: 0, notes: [], unreadable: [{ body: 0 }] });
  });

  it.each([
    ["was cut off", { request: '{"model":"gpt-5","messages":[{"role":"us', response: { choices: [] } }],
    ["has no messages", { prompt: "Say", model: "davinci", response: { choices: [] } }],
  ])("hides no request that %s", (_, line) => {
    expect(diagnoseBodies([line])).toMatchObject({ bodies: 0, notes: [], unreadable: [{ body: 0 }] });
  });

  it("beside its request is no line of its own", () => {
    const line = { request, response: { choices: [] } };
    expect(diagnoseBodies([line])).toMatchObject({ bodies: 1, notes: [] });
  });
});
