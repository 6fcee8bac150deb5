import { describe, expect, it } from "vitest";
import { diagnoseBodies, formatDiagnosis } from "../../index.ts";
import { apis, type Turn } from "../testing/api-bodies.ts";

const options = { countTokens: (text: string) => text.length, minimumTokens: 0 };
const mark = { cache_control: { type: "ephemeral" } };

function turns(length: number): Turn[] {
  return Array.from({ length }, (_, index) => [index % 2 === 0 ? "user" : "assistant", `turn ${index}`]);
}

describe("too many marks", () => {
  const body = (marks: number, more: object = {}, model = "claude-opus-5"): object => ({
    model,
    max_tokens: 9,
    messages: turns(7).map(([role, text], index) => ({
      role,
      content: [{ type: "text", text, ...(index < marks ? mark : {}) }],
    })),
    ...more,
  });

  it("are told of where Anthropic would refuse them", () => {
    const diagnosis = diagnoseBodies([body(4), body(5)], options);
    expect(diagnosis.notes).toMatchObject([
      { kind: "too-many-marks", isFault: true, count: 1, first: 1, tokens: undefined },
    ]);
    expect(formatDiagnosis(diagnosis)).toContain(
      "too many cache marks, first in body 2\n" +
        "  what    1 body to Claude has more than 4 cache marks: Anthropic refuses such a request, unless something " +
        "between takes marks away\n  remedy  Keep four at most",
    );
  });

  it("are counted with the one that a body asks for as a whole, unless a mark stands there already", () => {
    const kinds = (each: object): string[] => diagnoseBodies([each], options).notes.map(({ kind }) => kind);
    expect(kinds(body(4, mark))).toEqual(["too-many-marks"]);
    expect(kinds({ ...body(3, mark) })).toEqual([]);
  });

  it.each([
    ["another model", { model: "gpt-5.6" }],
    [
      "the AI SDK, which leaves out what is too much",
      { model: "claude-opus-5", instructions: "s", maxOutputTokens: 9 },
    ],
  ])("are none of %s", (_, more) => {
    const messages = turns(6).map(([role, content]) => ({ role, content, ...mark }));
    expect(diagnoseBodies([{ messages, ...more }], options).notes).toEqual([]);
  });
});

describe("prompt_cache_key", () => {
  const body = (length: number, key?: string, api: "openai" | "responses" = "openai"): object =>
    apis[api]({ turns: turns(length), ...(key === undefined ? {} : { extra: { prompt_cache_key: key } }) });

  it.each(["openai", "responses"] as const)(
    "that is another one as a conversation goes on is a fault (%s)",
    (api) => {
      const diagnosis = diagnoseBodies([body(1, "a", api), body(3, "b", api), body(5, "c", api)], options);
      expect(diagnosis).toMatchObject({
        breaks: [],
        notes: [{ kind: "cache-key-changed", isFault: true, count: 2, first: 1, tokens: undefined }],
      });
      expect(formatDiagnosis(diagnosis)).toContain(
        "another prompt_cache_key, first in body 2\n  what    2 bodies go on from one with another `prompt_cache_key`",
      );
    },
  );

  it("is no fault where it stays, nor where another conversation has another one", () => {
    const other = apis.openai({ system: "else", turns: [["user", "x"]], extra: { prompt_cache_key: "b" } });
    const { conversations, notes } = diagnoseBodies(
      [body(1, "a"), other, body(3, "a"), body(5, "a")],
      options,
    );
    expect({ conversations, notes }).toEqual({ conversations: 2, notes: [] });
  });
});

describe("Gemini's cachedContent", () => {
  const body = (length: number, more: object): object => ({
    model: "gemini-3-pro",
    contents: turns(length).map(([role, text]) => ({
      role: role === "user" ? "user" : "model",
      parts: [{ text }],
    })),
    ...more,
  });

  it.each(["cachedContent", "cached_content"])("is told of as what is not in the log (%s)", (name) => {
    const diagnosis = diagnoseBodies(
      [body(1, { [name]: "cachedContents/a" }), body(3, { [name]: "cachedContents/a" })],
      options,
    );
    expect(diagnosis).toMatchObject({
      breaks: [],
      notes: [{ kind: "cached-content", isFault: false, count: 2, first: 0 }],
    });
    expect(formatDiagnosis(diagnosis)).toContain(
      "Note: 2 bodies begin with a `cachedContent` that the server",
    );
  });

  it("that is another one makes another prompt", () => {
    const diagnosis = diagnoseBodies(
      [body(1, { config: { cachedContent: "a" } }), body(3, { config: { cachedContent: "b" } })],
      options,
    );
    expect(diagnosis).toMatchObject({
      breaks: [{ cause: "settings-changed", detail: "`cachedContent` is another one", sharedTokens: 0 }],
      reusableTokens: 0,
    });
  });
});

describe("Claude Code's billing line", () => {
  const line = (digest: string): string =>
    `x-anthropic-billing-header: cc_version=2.1.177.${digest.slice(0, 3)}; cc_entrypoint=sdk-cli; cch=${digest};`;
  const system = (digest: string): object[] => [
    { type: "text", text: line(digest) },
    { type: "text", text: "You are Claude Code.", ...mark },
  ];
  const body = (length: number, digest: string, model = "claude-opus-5"): object => ({
    model,
    max_tokens: 9,
    system: system(digest),
    messages: turns(length).map(([role, text], index) => ({
      role,
      content: [{ type: "text", text, ...(index === length - 1 ? mark : {}) }],
    })),
  });

  it("is passed over in bodies to Claude, and told of", () => {
    const diagnosis = diagnoseBodies([body(1, "36ee5"), body(3, "0aaa9")], options);
    expect(diagnosis).toMatchObject({
      conversations: 1,
      breaks: [],
      notes: [{ kind: "billing-line", isFault: false, count: 2, first: 0 }],
    });
    expect(diagnosis.reusableTokens).toBeGreaterThan(0);
    expect(formatDiagnosis(diagnosis)).toContain("with any other server behind, leave it out");
  });

  it("is not worth a word where it stays the same", () => {
    expect(diagnoseBodies([body(1, "36ee5"), body(3, "36ee5")], options).notes).toEqual([]);
  });

  it("is an identifier that breaks the prefix of another model behind the same API", () => {
    const { breaks } = diagnoseBodies([body(1, "36ee5", "glm-5"), body(3, "0aaa9", "glm-5")], options);
    expect(breaks).toMatchObject([{ cause: "varying-id" }]);
    expect(breaks[0]?.detail).toContain("CLAUDE_CODE_ATTRIBUTION_HEADER=0");
  });

  it("is one in Chat Completions, too, where a proxy put it into the system text", () => {
    const chat = (length: number, digest: string): object =>
      apis.openai({ system: `${line(digest)}\nYou are Claude Code.`, turns: turns(length) });
    expect(diagnoseBodies([chat(1, "36ee5"), chat(3, "0aaa9")], options).breaks).toMatchObject([
      { cause: "varying-id" },
    ]);
    // So are the first requests of two conversations, whose system text is the same but for this.
    expect(diagnoseBodies([chat(1, "36ee5"), chat(1, "0aaa9")], options).breaks).toHaveLength(1);
  });

  it("hides no edit of what follows it", () => {
    const edited = {
      ...body(3, "0aaa9"),
      system: [...system("0aaa9").slice(0, 1), { type: "text", text: "No." }],
    };
    expect(diagnoseBodies([body(1, "36ee5"), edited], options).breaks).toMatchObject([
      { cause: "system-edited" },
    ]);
  });
});
