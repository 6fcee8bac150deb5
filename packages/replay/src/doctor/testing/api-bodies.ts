/** One message of a conversation. */
export type Turn = readonly [role: "user" | "assistant", text: string];
/** What a conversation has in each API. */
export interface Conversation {
  readonly model?: string;
  readonly system?: string;
  readonly tools?: readonly string[];
  readonly turns: readonly Turn[];
  readonly extra?: object;
}

export type ApiName = "openai" | "responses" | "anthropic" | "gemini";

/** On every block, and not on four, so that all that two bodies begin with is cached as it is by the other APIs. */
const mark = { cache_control: { type: "ephemeral" } };

/** One conversation as the body of each API. */
export const apis: Record<ApiName, (conversation: Conversation) => Readonly<Record<string, unknown>>> = {
  openai: ({ model = "gpt-5", system = "s", tools = [], turns, extra }: Conversation) => ({
    model,
    tools: tools.map((name) => ({ type: "function", function: { name, parameters: {} } })),
    messages: [{ role: "system", content: system }, ...turns.map(([role, content]) => ({ role, content }))],
    ...extra,
  }),
  responses: ({ model = "gpt-5", system = "s", tools = [], turns, extra }: Conversation) => ({
    model,
    instructions: system,
    tools: tools.map((name) => ({ type: "function", name })),
    input: turns.map(([role, text]) =>
      role === "user" ? { role, content: [{ type: "input_text", text }] } : { role, content: text },
    ),
    ...extra,
  }),
  anthropic: ({ model = "claude-opus-5", system = "s", tools = [], turns, extra }: Conversation) => ({
    model,
    max_tokens: 9,
    system: [{ type: "text", text: system, ...mark }],
    tools: tools.map((name) => ({ name, input_schema: { type: "object" }, ...mark })),
    messages: turns.map(([role, text]) => ({ role, content: [{ type: "text", text, ...mark }] })),
    ...extra,
  }),
  gemini: ({ model = "gemini-3-pro", system = "s", tools = [], turns, extra }: Conversation) => ({
    model,
    systemInstruction: { parts: [{ text: system }] },
    tools: tools.length > 0 ? [{ functionDeclarations: tools.map((name) => ({ name })) }] : [],
    contents: turns.map(([role, text]) => ({ role: role === "user" ? "user" : "model", parts: [{ text }] })),
    ...extra,
  }),
};
