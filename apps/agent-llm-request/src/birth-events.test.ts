import { expect, it } from "vitest";
import { birthEvents } from "./index.ts";

it("gives birth to an agent with its parameters, its own configuration and the birth window", () => {
  const events = birthEvents({
    promptName: "greeter",
    sections: [{ key: "identity", content: "You greet people." }],
    parameters: { maxOutputTokens: 800 },
    config: { model: "m", llmRequestDebounceMs: 0 },
  });
  expect(events.map(({ type, payload }) => [type, payload])).toEqual([
    ["agent/created", {}],
    [
      "agent/configured",
      {
        config: {
          mapping: "openai-chat@1",
          protocol: "1",
          parameters: { maxOutputTokens: 800 },
          model: "m",
          llmRequestDebounceMs: 60_000,
        },
      },
    ],
    ["agents/context-added", { role: "system", content: "You greet people.", key: "identity" }],
  ]);
});
