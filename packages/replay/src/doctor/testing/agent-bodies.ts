/** What happens in a conversation of an agent with tools. */
export type AgentStep =
  | { readonly kind: "user" | "answer"; readonly text: string }
  | {
      readonly kind: "call";
      readonly id: string;
      /** Said before the call, in the same message. */
      readonly text: string;
      readonly input: Readonly<Record<string, string>>;
      readonly result: string;
    };

/** An agent's request, whatever the API. */
export interface AgentRequest {
  readonly system: string;
  readonly steps: readonly AgentStep[];
}

const name = "run";
const schema = { type: "object", properties: { command: { type: "string" } } };

/** A text as a list of parts, which is empty for none. */
const saidParts = (text: string, more: object): object[] => (text === "" ? [] : [{ ...more, text }]);

/** One request as the body of each API. */
export const agents: Readonly<Record<string, (request: AgentRequest) => object>> = {
  openai: ({ system, steps }) => ({
    model: "gpt-5",
    tools: [{ type: "function", function: { name, parameters: schema } }],
    messages: [
      { role: "system", content: system },
      ...steps.flatMap((step): object[] => {
        if (step.kind !== "call")
          return [{ role: step.kind === "user" ? "user" : "assistant", content: step.text }];
        const called = { name, arguments: JSON.stringify(step.input) };
        const calls = [{ id: step.id, type: "function", function: called }];
        return [
          { role: "assistant", content: step.text === "" ? null : step.text, tool_calls: calls },
          { role: "tool", tool_call_id: step.id, content: step.result },
        ];
      }),
    ],
  }),
  responses: ({ system, steps }) => ({
    model: "gpt-5",
    instructions: system,
    tools: [{ type: "function", name, parameters: schema }],
    input: steps.flatMap((step): object[] => {
      const said = (text: string): object => ({
        role: "assistant",
        content: [{ type: "output_text", text }],
      });
      if (step.kind !== "call") {
        const asked = { role: "user", content: [{ type: "input_text", text: step.text }] };
        return [step.kind === "user" ? asked : said(step.text)];
      }
      return [
        ...(step.text === "" ? [] : [said(step.text)]),
        { type: "function_call", name, arguments: JSON.stringify(step.input), call_id: step.id },
        { type: "function_call_output", call_id: step.id, output: step.result },
      ];
    }),
  }),
  anthropic: ({ system, steps }) => ({
    model: "claude-opus-5",
    max_tokens: 9,
    system: [{ type: "text", text: system }],
    tools: [{ name, input_schema: schema }],
    messages: steps.flatMap((step): object[] => {
      const said = saidParts(step.text, { type: "text" });
      if (step.kind !== "call") return [{ role: step.kind === "user" ? "user" : "assistant", content: said }];
      return [
        { role: "assistant", content: [...said, { type: "tool_use", id: step.id, name, input: step.input }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: step.id, content: step.result }],
        },
      ];
    }),
  }),
  gemini: ({ system, steps }) => ({
    model: "gemini-3-pro",
    systemInstruction: { parts: [{ text: system }] },
    tools: [{ functionDeclarations: [{ name, parameters: schema }] }],
    contents: steps.flatMap((step): object[] => {
      const said = saidParts(step.text, {});
      if (step.kind !== "call") return [{ role: step.kind === "user" ? "user" : "model", parts: said }];
      const response = { output: step.result };
      return [
        { role: "model", parts: [...said, { functionCall: { id: step.id, name, args: step.input } }] },
        { role: "user", parts: [{ functionResponse: { id: step.id, name, response } }] },
      ];
    }),
  }),
};
