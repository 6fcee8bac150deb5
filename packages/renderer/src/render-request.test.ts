import type { StoredEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { describe, expect, it } from "vitest";
import { renderRequest, UnknownMappingError } from "./index.ts";

const events: readonly StoredEvent[] = [
  [
    "agent/configured",
    { config: { model: "test/model-a", parameters: { maxOutputTokens: 512, thinkingBudget: 64 } } },
  ],
  ["agents/context-added", { role: "system", content: "P", key: "persona" }],
  ["agents/context-added", { role: "user", content: "hi" }],
  ["agent/llm-request-requested", { model: "test/model-b", parameters: { maxOutputTokens: 9 } }],
].map(([type, payload], index) => ({
  offset: index + 1,
  type: type as string,
  payload,
  createdAt: `2026-03-02T09:00:0${index}.000Z`,
}));

describe("renderRequest with openai-chat", () => {
  it("writes the body that the open request asked for", () => {
    const { body, mapping, blocks } = renderRequest(foldEvents(events).state, { stream: "/agents/web/demo" });
    expect(mapping).toBe("openai-chat@1");
    expect(body).toEqual({
      model: "test/model-b",
      max_completion_tokens: 9,
      prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      messages: [
        { role: "system", content: expect.stringContaining("Requested at:") as string },
        { role: "system", content: '<section key="persona">\nP\n</section>' },
        { role: "user", content: "hi" },
        { role: "developer", content: "Requested at: 2026-03-02T09:00:03.000Z" },
      ],
    });
    expect(blocks).toHaveLength(4);
  });

  it("falls back to the configuration where no request is open, and ignores the thinking budget", () => {
    const { body } = renderRequest(foldEvents(events, { through: 3 }).state);
    expect(body).toMatchObject({ model: "test/model-a", max_completion_tokens: 512 });
    expect(Object.keys(body as object)).toEqual(["model", "max_completion_tokens", "messages"]);
  });

  it("reads a recorded name without a version as the first version", () => {
    const recorded = (mapping: string) =>
      foldEvents([...events.slice(0, 3), { ...(events[3] as StoredEvent), payload: { model: "m", mapping } }])
        .state;
    expect(renderRequest(recorded("gemini")).mapping).toBe("gemini@1");
    expect(() => renderRequest(recorded("gemini@2"))).toThrow(UnknownMappingError);
  });

  it("refuses a mapping that it does not ship, naming those that it does", () => {
    const { state } = foldEvents(events);
    expect(() => renderRequest(state, { mapping: "openai-chat@99" })).toThrow(UnknownMappingError);
    expect(() => renderRequest(state, { mapping: "nope" })).toThrow(/openai-chat@1/);
  });
});
