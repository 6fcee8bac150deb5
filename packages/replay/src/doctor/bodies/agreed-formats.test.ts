import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnoseBodies } from "../../index.ts";

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const options = { countTokens: words, minimumTokens: 0 };

const user = (content: string): object => ({ role: "user", content });
const call = [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "1", toolName: "f", input: {} }] },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "1", toolName: "f", output: "r" }] },
];
const system = { role: "system", content: "a b c d" };

describe("bodies of the AI SDK before one that shows it", () => {
  it.each<[string, object, readonly object[]]>([
    ["a system message", { model: "gpt-5" }, [system, user("hi")]],
    ["a system text", { model: "gpt-5", system: "a b c d" }, [user("hi")]],
    ["no system text", { model: "gpt-5" }, [user("hi there")]],
    ["no model", {}, [system, user("hi")]],
    ["a system text and no model", { system: "a b c d" }, [user("hi")]],
  ])("with %s are read as they are", (_, settings, start) => {
    const body = (...more: object[]): object => ({ ...settings, messages: [...start, ...more] });
    const bodies = [
      body(),
      body({ role: "assistant", content: "hello" }, user("go on")),
      body({ role: "assistant", content: "hello" }, user("go on"), ...call),
      body({ role: "assistant", content: "hello" }, user("go on"), ...call, user("more")),
    ];
    const diagnosis = diagnoseBodies(bodies, options);
    expect(diagnosis).toMatchObject({ conversations: 1, breaks: [], notes: [] });
    const named = diagnoseBodies(bodies, { ...options, format: "ai-sdk" });
    expect(diagnosis.reusableTokens).toBe(named.reusableTokens);
  });

  it("have their breaks found, and so do those after it that do not show it any more", () => {
    const body = (time: string, ...more: object[]): object => ({
      model: "gpt-5",
      messages: [{ role: "system", content: `Now ${time}. Be kind.` }, user("hi"), ...more],
    });
    const bodies = [body("10:00"), body("10:01", ...call), body("10:02", user("no tools any more"))];
    const causes = (format?: "ai-sdk"): unknown =>
      diagnoseBodies(bodies, { ...options, format }).breaks.map(({ body, previous, cause }) => ({
        body,
        previous,
        cause,
      }));
    expect(causes()).toEqual(causes("ai-sdk"));
    expect(causes()).toContainEqual({ body: 1, previous: 0, cause: "clock" });
  });
});

it("a body that shows no API is never one of another than the conversation that it goes on", () => {
  const answers: Readonly<Record<string, (word: string) => readonly object[]>> = {
    "ai-sdk": (word) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: word, toolName: "f", input: {} }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: word, toolName: "f", output: word }] },
    ],
    "openai-chat": (word) => [
      { role: "assistant", content: null, tool_calls: [{ id: word, function: { name: "f" } }] },
      { role: "tool", tool_call_id: word, content: word },
    ],
    "anthropic-messages": (word) => [
      { role: "assistant", content: [{ type: "tool_use", id: word, name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: word, content: word }] },
    ],
    none: (word) => [{ role: "assistant", content: word }],
  };
  const names = ["apples", "trains", "clouds"];
  const step = fc.record({ agent: fc.nat({ max: 2 }), answer: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...Object.keys(answers)), { minLength: 3, maxLength: 3 }),
      fc.array(step, { minLength: 2, maxLength: 12 }),
      (apis, steps) => {
        const histories = names.map((name) => [user(`tell me of ${name}`)]);
        const bodies = steps.map(({ agent, answer }, index) => {
          const history = histories[agent] ?? [];
          const word = `${names[agent] ?? ""} ${"x".repeat(index)}`;
          if (answer) history.push(...(answers[apis[agent] ?? ""]?.(word) ?? []), user(`more of ${word}`));
          return { model: "m", messages: [...history] };
        });
        const agents = new Set(steps.map(({ agent }) => agent)).size;
        expect(diagnoseBodies(bodies, options)).toMatchObject({ conversations: agents, breaks: [] });
      },
    ),
    { numRuns: 1000 },
  );
});
