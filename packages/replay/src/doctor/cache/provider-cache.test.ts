import { describe, expect, it } from "vitest";
import { diagnoseBodies, formatDiagnosis } from "../../index.ts";
import { apis, type Conversation, type Turn } from "../testing/api-bodies.ts";

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const options = { countTokens: words, minimumTokens: 0 };

/** So many turns; the first has two words, as has each of the others. */
function turns(length: number): Turn[] {
  return Array.from({ length }, (_, index) => [index % 2 === 0 ? "user" : "assistant", `turn ${index}`]);
}

const chat = (length: number, more: Partial<Conversation> = {}): object =>
  apis.openai({ system: "a b c d", turns: turns(length), ...more });

describe("what can come from the cache", () => {
  it("is what any earlier body of the model left there, and the break is told of the one before", () => {
    const [mine, other] = [{ model: "gpt-5" }, { model: "gpt-5-mini" }];
    const bodies = [chat(1, mine), chat(3, other), chat(5, mine), chat(7, other)];
    const diagnosis = diagnoseBodies(bodies, options);
    expect(diagnosis.breaks).toMatchObject([
      { body: 1, previous: 0, lostTokens: 6, sharedTokens: 0, servedBy: undefined },
      { body: 2, previous: 1, lostTokens: 4, sharedTokens: 6, servedBy: 0 },
      { body: 3, previous: 2, lostTokens: 4, sharedTokens: 10, servedBy: 1 },
    ]);
    expect(diagnosis.reusableTokens).toBe(16);
    expect(formatDiagnosis(diagnosis)).toContain(
      "  lost    4 of 10 tokens that could have come from the cache\n" +
        "  kept    the cache of body 1 still serves 6 of these tokens\n",
    );
  });

  it.each<[string, Partial<Conversation>, Partial<Conversation>]>([
    ["tools are left out once", { tools: ["f"] }, { tools: [] }],
    ["the system text is of one mode or another", { system: "plan b c d" }, { system: "act b c d" }],
    ["an output format is set once", {}, { extra: { response_format: { type: "json_object" } } }],
  ])("outlives a turn in which %s", (_, usual, once) => {
    const { breaks } = diagnoseBodies([chat(1, usual), chat(3, once), chat(5, usual)], options);
    expect(breaks).toMatchObject([
      { body: 1, servedBy: undefined },
      { body: 2, previous: 1, servedBy: 0 },
    ]);
    expect(breaks[1]?.sharedTokens).toBeGreaterThanOrEqual(6);
  });

  it("is part of a block where the API caches by prefix, between conversations, too", () => {
    const document = "lorem ipsum dolor ".repeat(2000);
    const ask = (api: "openai" | "responses" | "gemini" | "anthropic", model?: string) =>
      ["What?", "Why?", "Who?"].map((question) =>
        apis[api]({
          turns: [["user", `${document} ${question}`]],
          ...(model === undefined ? {} : { model }),
        }),
      );
    const reusable = (bodies: object[]): number => diagnoseBodies(bodies, options).reusableTokens ?? 0;
    for (const api of ["openai", "responses", "gemini"] as const) {
      const tokens = reusable(ask(api));
      expect(tokens).toBeGreaterThan(2 * 6000 - 2 * 128);
      expect(tokens).toBeLessThanOrEqual(2 * 6001);
    }
    // The system text alone, which has a mark; and nothing, where the newest message alone is found again.
    expect(reusable(ask("anthropic"))).toBe(2);
    expect(reusable(ask("openai", "gpt-5.6"))).toBe(0);
  });

  it("is what stands before a breakpoint, for models that match at breakpoints", () => {
    const model = "gpt-5.6";
    expect(diagnoseBodies([chat(1, { model }), chat(3, { model })], options)).toMatchObject({
      breaks: [],
      reusableTokens: 6,
    });
    const explicit = { model, extra: { prompt_cache_options: { mode: "explicit" } } };
    expect(diagnoseBodies([chat(1, explicit), chat(3, explicit)], options).reusableTokens).toBe(0);
  });

  it("is nothing of a text that another role speaks", () => {
    const body = (role: string, more: readonly object[]): object => ({
      model: "gpt-5",
      messages: [
        { role, content: "lorem ipsum dolor ".repeat(1000) },
        { role: "user", content: "q" },
        ...more,
      ],
    });
    const later = [
      { role: "assistant", content: "a" },
      { role: "user", content: "r" },
    ];
    expect(diagnoseBodies([body("system", []), body("developer", later)], options)).toMatchObject({
      breaks: [{ sharedTokens: 0 }],
      reusableTokens: 0,
    });
  });

  it("is nothing of another API, whose bodies have no place to compare", () => {
    const diagnosis = diagnoseBodies(
      [chat(3), apis.responses({ system: "a b c d", turns: turns(5) })],
      options,
    );
    expect(diagnosis).toMatchObject({
      breaks: [{ cause: "api-changed", place: undefined, lostTokens: 10, sharedTokens: 0 }],
      reusableTokens: 0,
    });
    expect(formatDiagnosis(diagnosis)).not.toContain("  where");
  });
});

describe("Anthropic's cache", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const body = (
    length: number,
    { model = "claude-sonnet-4-5", marked = [] as number[], extra = {} } = {},
  ): object => ({
    model,
    max_tokens: 9,
    system: "a b c d",
    messages: turns(length).map(([role, text], index) => ({
      role,
      content: [{ type: "text", text, ...(marked.includes(index) ? mark : {}) }],
    })),
    ...extra,
  });

  it.each([
    ["left out and auto", undefined, { type: "auto" }, undefined, undefined],
    [
      "its keys in another order",
      undefined,
      undefined,
      { type: "enabled", budget_tokens: 9 },
      { budget_tokens: 9, type: "enabled" },
    ],
    ["left out and disabled", undefined, undefined, undefined, { type: "disabled" }],
  ])(
    "is not emptied by a setting that says the same: %s",
    (_, choice, laterChoice, thinking, laterThinking) => {
      const before = body(1, { marked: [0], extra: { tool_choice: choice, thinking } });
      const after = body(3, { marked: [0, 2], extra: { tool_choice: laterChoice, thinking: laterThinking } });
      expect(diagnoseBodies([before, after], options)).toMatchObject({ breaks: [], reusableTokens: 6 });
    },
  );

  it("is emptied behind the system text by a choice of another tool", () => {
    const before = body(1, { marked: [0] });
    const after = body(3, { marked: [0, 2], extra: { tool_choice: { type: "any" } } });
    expect(diagnoseBodies([before, after], options).breaks).toMatchObject([{ cause: "settings-changed" }]);
  });

  it("has nothing without marks, which is a finding of its own", () => {
    const prices = { "claude-sonnet-4-5": { input: 3_000_000, cachedInput: 300_000 } };
    const diagnosis = diagnoseBodies([body(1), body(3), body(5)], { ...options, prices });
    expect(diagnosis).toMatchObject({ breaks: [], reusableTokens: 0, lostTokens: 0 });
    expect(diagnosis.notes).toMatchObject([
      { kind: "no-cache-marks", isFault: true, count: 3, first: 0, tokens: 16 },
    ]);
    expect(diagnosis.notes[0]?.money).toBeCloseTo(16 * 2.7);
    const text = formatDiagnosis(diagnosis);
    expect(text).toContain(
      "no cache marks, first in body 1\n  what    3 bodies to Claude have no `cache_control`",
    );
    expect(text).toContain(
      "  lost    16 tokens that were sent before and could have come from the cache, $43.20\n",
    );
  });

  it("is not missed where nothing came again, or where another provider speaks the API", () => {
    expect(diagnoseBodies([body(1)], options).notes).toMatchObject([{ isFault: false }]);
    const others = [body(1, { model: "kimi-k2" }), body(3, { model: "kimi-k2" })];
    expect(diagnoseBodies(others, options)).toMatchObject({ notes: [], reusableTokens: 6 });
  });

  it("is missed in Chat Completions bodies to Claude, too", () => {
    const bodies = [
      chat(1, { model: "anthropic/claude-opus-5" }),
      chat(3, { model: "anthropic/claude-opus-5" }),
    ];
    expect(diagnoseBodies(bodies, options)).toMatchObject({
      reusableTokens: 0,
      notes: [{ kind: "no-cache-marks", isFault: true, tokens: 6 }],
    });
  });

  it("serves what ends at a mark, however much more is the same", () => {
    const bodies = [
      body(3, { marked: [0] }),
      body(5, { marked: [0] }),
      body(5, { marked: [0, 4] }),
      body(7, { marked: [6] }),
    ];
    // 4 + 2 twice, then all five messages by looking back from the last.
    expect(diagnoseBodies(bodies, options)).toMatchObject({
      breaks: [],
      notes: [],
      reusableTokens: 6 + 6 + 14,
    });
  });

  it("is found at most 20 blocks before a mark", () => {
    const reusable = (length: number): number | undefined =>
      diagnoseBodies([body(1, { marked: [0] }), body(length, { marked: [length - 1] })], options)
        .reusableTokens;
    expect([reusable(20), reusable(21)]).toEqual([6, 0]);
    const far = diagnoseBodies([body(1, { marked: [0] }), body(21, { marked: [20] })], options);
    expect(far).toMatchObject({
      breaks: [],
      notes: [{ kind: "marks-out-of-reach", isFault: true, count: 1, first: 1, tokens: 6 }],
    });
    expect(formatDiagnosis(far)).toContain("cache marks out of reach, first in body 2\n");
    const both = [body(1, { marked: [0] }), body(21, { marked: [0, 20] })];
    expect(diagnoseBodies(both, options)).toMatchObject({ notes: [], reusableTokens: 6 });
  });

  it("is asked for by the body as a whole", () => {
    const extra = mark;
    expect(diagnoseBodies([body(1, { extra }), body(3, { extra })], options)).toMatchObject({
      notes: [],
      reusableTokens: 6,
    });
  });

  it("loses nothing that was not marked", () => {
    const [before, after] = [body(3), body(5)].map((each) => ({ ...each, system: "x b c d" }));
    const { breaks } = diagnoseBodies([body(1), before, after], options);
    expect(breaks).toMatchObject([{ body: 1, lostTokens: 0, notCached: "unmarked" }]);
    expect(formatDiagnosis(diagnoseBodies([body(1), before], options))).toContain(
      "  lost    nothing: the request before has no cache mark, so nothing of it was cached\n",
    );
  });

  it.each([
    ["claude-haiku-4-5-20251001", 4000, 0],
    ["claude-haiku-4-5", 4100, 4100],
    ["claude-sonnet-4-5", 1100, 1100],
    ["claude-opus-5", 600, 600],
    ["claude-opus-4-6", 4000, 0],
  ])("of %s with %i tokens serves %i", (model, length, reusable) => {
    const long = (last: string): object => ({
      model,
      system: [{ type: "text", text: "w ".repeat(length), ...mark }],
      messages: [{ role: "user", content: last }],
    });
    expect(diagnoseBodies([long("a"), long("b")], { countTokens: words }).reusableTokens).toBe(reusable);
  });

  it("is not promised where a prompt without marks is too short for it", () => {
    const { notes } = diagnoseBodies([body(1), body(3)], { countTokens: words });
    expect(notes).toMatchObject([{ kind: "no-cache-marks", isFault: false, tokens: 0 }]);
    expect(notes[0]?.detail).toContain(
      "they are too short to be cached with marks, too (fewer than 1024 tokens)",
    );
  });
});

describe("Gemini's cache", () => {
  it.each([
    ["gemini-2.5-flash", 2000, 0],
    ["gemini-2.5-flash", 2100, 2100],
    ["gemini-3-pro-preview", 4000, 0],
    ["gemini-3-pro-preview", 4100, 4100],
  ])("of %s with %i tokens serves %i", (model, length, reusable) => {
    const body = (last: string) =>
      apis.gemini({ model, system: "w ".repeat(length), turns: [["user", last]] });
    expect(diagnoseBodies([body("a"), body("b")], { countTokens: words }).reusableTokens).toBe(reusable);
  });
});

describe("a history that the server keeps", () => {
  const body = (input: string, previous?: string, instructions = "a b c d") => ({
    model: "gpt-5",
    instructions,
    input,
    ...(previous === undefined ? {} : { previous_response_id: previous }),
  });

  it("is told, and takes no body for a conversation of its own", () => {
    const diagnosis = diagnoseBodies([body("hi"), body("next", "resp_1"), body("third", "resp_2")], options);
    expect(diagnosis).toMatchObject({
      conversations: 1,
      breaks: [],
      reusableTokens: 8,
      notes: [{ kind: "history-on-server", isFault: false, count: 2, first: 1 }],
    });
    const text = formatDiagnosis(diagnosis);
    expect(text).toContain("3 bodies in 1 conversation, 2 with a history that the server keeps, ");
    expect(text).not.toContain("no break");
    expect(text).toContain("it is not in the log, so it can be neither checked nor counted.\n");
  });

  it("is linked where the log has the identifiers, and then its instructions are compared", () => {
    const line = (id: string, request: object): object => ({ request, response: { id, output: [] } });
    const diagnosis = diagnoseBodies(
      [
        line("resp_1", body("hi", undefined, "Now 10:00. Be kind.")),
        line("resp_2", body("next", "resp_1", "Now 10:00. Be kind.")),
        JSON.stringify(line("resp_3", body("third", "resp_2", "Now 10:07. Be kind."))),
      ],
      options,
    );
    expect(diagnosis).toMatchObject({ conversations: 1, breaks: [{ body: 2, previous: 1, cause: "clock" }] });
    expect(diagnosis.notes[0]?.detail).toContain("; 2 could be linked by the identifiers of responses");
  });
});
