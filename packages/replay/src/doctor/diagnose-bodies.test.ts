import { foldEvents } from "@promptfold/fold";
import { renderRequest } from "@promptfold/renderer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BodyDoctor,
  type BreakCause,
  diagnoseBodies,
  type Diagnosis,
  formatDiagnosis,
  listBodies,
} from "../index.ts";
import { apis, type Conversation, type Turn } from "./testing/api-bodies.ts";

const first: readonly Turn[] = [
  ["user", "question one"],
  ["assistant", "answer one"],
  ["user", "question two"],
];
const later: readonly Turn[] = [...first, ["assistant", "answer two"], ["user", "question three"]];
const longer: readonly Turn[] = [...later, ["assistant", "answer three"], ["user", "question four"]];

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const options = { countTokens: words, minimumTokens: 0 };

function causes({ breaks }: Diagnosis): BreakCause[] {
  return breaks.map(({ cause }) => cause);
}

describe.each(Object.entries(apis))("diagnoseBodies on %s bodies", (_api, body) => {
  const cases: readonly [name: string, before: Conversation, after: Conversation, expected: BreakCause[]][] =
    [
      ["nothing", { turns: first }, { turns: later }, []],
      [
        "a clock in the system text",
        { system: "Now: 2026-03-02 10:00:59. Be brief.", turns: first },
        { system: "Now: 2026-03-02 10:01:00. Be brief.", turns: later },
        ["clock"],
      ],
      [
        "a date in words in the system text",
        { system: "Today is Friday, January 23, 2026.", turns: first },
        { system: "Today is Saturday, January 24, 2026.", turns: later },
        ["clock"],
      ],
      [
        "a request id in the system text",
        { system: "Trace 1b4e28ba-2fa1-11d2-883f-0016d3cca427.", turns: first },
        { system: "Trace 6fa459ea-ee8a-3ca4-894e-db77e160355e.", turns: later },
        ["varying-id"],
      ],
      [
        "an edited system text",
        { system: "Be brief.", turns: first },
        { system: "Be kind.", turns: later },
        ["system-edited"],
      ],
      [
        "reordered tools",
        { tools: ["a", "b"], turns: first },
        { tools: ["b", "a"], turns: later },
        ["tools-reordered"],
      ],
      [
        "an added tool",
        { tools: ["a"], turns: first },
        { tools: ["a", "b"], turns: later },
        ["tools-changed"],
      ],
      ["a sliding window", { turns: later }, { turns: longer.slice(2) }, ["history-trimmed"]],
      [
        "an earlier message put in",
        { turns: later },
        { turns: [["user", "memory"], ["assistant", "noted"], ...longer] },
        ["message-inserted"],
      ],
      [
        "a rewritten answer",
        { turns: later },
        { turns: [later[0] ?? ["user", ""], ["assistant", "[cleared]"], ...longer.slice(2)] },
        ["history-rewritten"],
      ],
      [
        "a floating reminder",
        { turns: [...first, ["user", "Reminder: be brief"]] },
        { turns: [...later, ["user", "Reminder: be brief"]] },
        ["tail-replaced"],
      ],
      [
        "another last message",
        { turns: [...first, ["user", "status: three files open"]] },
        { turns: [...later, ["user", "status: no file open"]] },
        ["tail-replaced"],
      ],
      [
        "another model",
        { turns: first, model: "gpt-5" },
        { turns: later, model: "gpt-5-mini" },
        ["model-changed"],
      ],
    ];

  it.each(cases)("finds %s", (_, before, after, expected) => {
    const diagnosis = diagnoseBodies([body(before), JSON.stringify(body(after))], options);
    expect(causes(diagnosis)).toEqual(expected);
    expect(diagnosis).toMatchObject({ bodies: 2, conversations: 1, unreadable: [] });
    for (const { detail, lostTokens, body: index, previous } of diagnosis.breaks) {
      expect(detail).not.toBe("");
      expect(lostTokens).toBeGreaterThan(0);
      expect([previous, index]).toEqual([0, 1]);
    }
    expect(diagnosis.totalTokens).toBe(
      (diagnosis.reusableTokens ?? 0) + (diagnosis.lostTokens ?? 0) + newTokens(diagnosis, before, after),
    );
  });

  /** Tokens that were never sent before: what is left of the total besides what was sent once already. */
  function newTokens(diagnosis: Diagnosis, before: Conversation, after: Conversation): number {
    const total = (conversation: Conversation): number =>
      diagnoseBodies([body(conversation)], options).totalTokens ?? 0;
    expect(diagnosis.totalTokens).toBe(total(before) + total(after));
    return total(after);
  }

  it("counts what was lost exactly: everything after the first difference", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 20 }), { minLength: 2, maxLength: 10 }),
        fc.nat(),
        (lengths, pick) => {
          const turns = lengths.map((length, index): Turn => [
            index % 2 ? "assistant" : "user",
            `t${index} ${"w ".repeat(length)}`.trim(),
          ]);
          const changed = pick % turns.length;
          const altered = turns.with(changed, [turns[changed]?.[0] ?? "user", `changed ${changed}`]);
          const diagnosis = diagnoseBodies(
            [body({ turns }), body({ turns: [...altered, ["assistant", "answer"], ["user", "more"]] })],
            options,
          );
          // Not more than what is sent in its place: what is not sent any more costs nothing.
          const sent = [
            altered[changed] ?? ["user", ""],
            ...turns.slice(changed + 1),
            ["assistant", "answer"],
            ["user", "more"],
          ];
          const count = (list: typeof sent): number =>
            list.reduce((sum, [, text = ""]) => sum + words(text), 0);
          const lost = Math.min(count(turns.slice(changed)), count(sent));
          expect(diagnosis.lostTokens).toBe(lost);
          expect(diagnosis.breaks[0]?.place).toMatchObject({ block: changed + 1, character: 0 });
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("diagnoseBodies", () => {
  it("takes money from a price table, by the name of the model, and what a cache write costs", () => {
    const body = (system: string) =>
      apis.openai({ model: "openai/gpt-5-mini-2026-01-31", system, turns: later });
    const prices = {
      "gpt-5": { input: 10, cachedInput: 1 },
      "gpt-5-mini": { input: 2, cachedInput: 0.2, cacheWrite: 2.5 },
    };
    const diagnosis = diagnoseBodies([body("a b c"), body("x b c")], { ...options, prices });
    expect(diagnosis.lostTokens).toBe(3 + 10);
    expect(diagnosis.lostMoney).toBeCloseTo((13 * 2.3) / 1e6, 12);
    expect(diagnoseBodies([body("a b c"), body("x b c")], options).lostMoney).toBeUndefined();
    expect(diagnoseBodies([body("a b c"), body("x b c")], { prices }).breaks[0]).toMatchObject({
      lostTokens: undefined,
      lostMoney: undefined,
    });
  });

  it("counts nothing as lost where a prompt is too short to be cached", () => {
    const bodies = [apis.openai({ turns: first, system: "a" }), apis.openai({ turns: later, system: "b" })];
    expect(diagnoseBodies(bodies, { countTokens: words }).breaks).toMatchObject([{ lostTokens: 0 }]);
  });

  it("tells mixed conversations apart, and a new one from a broken one", () => {
    const other: readonly Turn[] = [
      ["user", "other one"],
      ["assistant", "other answer"],
      ["user", "other two"],
    ];
    const bodies = [
      apis.openai({ turns: first.slice(0, 1) }),
      apis.openai({ turns: other.slice(0, 1) }),
      apis.openai({ turns: first }),
      apis.openai({ turns: other }),
      apis.openai({ turns: later }),
    ];
    expect(diagnoseBodies(bodies, options)).toMatchObject({ bodies: 5, conversations: 2, breaks: [] });
  });

  it("does not take another agent's first request for a broken one, and counts what the two share", () => {
    const bodies = [
      apis.openai({ system: "You are Ada, a gardener.", turns: later }),
      apis.openai({ system: "You are Bob, a baker.", turns: [["user", "bread?"]] }),
      apis.openai({ system: "You are Ada, a gardener.", turns: [["user", "roses?"]] }),
    ];
    expect(diagnoseBodies(bodies, options)).toMatchObject({
      conversations: 3,
      breaks: [],
      reusableTokens: 5,
    });
  });

  it("finds a clock that keeps single questions from sharing their system text", () => {
    const body = (time: string, question: string) =>
      apis.openai({ system: `Be brief. It is ${time}. More rules.`, turns: [["user", question]] });
    expect(causes(diagnoseBodies([body("10:00", "one?"), body("10:01", "two?")], options))).toEqual([
      "clock",
    ]);
  });

  it("bears any JSON without a crash", () => {
    const names = fc.constantFrom(
      "messages",
      "content",
      "role",
      "text",
      "type",
      "input",
      "contents",
      "parts",
      "system",
      "tools",
      "model",
      "config",
      "providerOptions",
      "cache_control",
      "__proto__",
      "image_url",
      "source",
      "data",
      "inlineData",
      "tool_calls",
      "previous_response_id",
      "response",
      "id",
      "log",
      "entries",
      "request",
      "postData",
    );
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(
          null,
          "user",
          "assistant",
          "text",
          "image",
          "10:00",
          "data:image/png;base64,AAAA",
          '{"a":1}',
          '{"messages":[]}',
          "resp_1",
          3,
          true,
          [],
          {},
        ),
        fc.array(tie("value"), { maxLength: 4 }),
        fc
          .array(fc.tuple(names, tie("value")), { maxLength: 5 })
          .map((entries) => Object.fromEntries(entries)),
      ),
    })).value;
    let readable = 0;
    fc.assert(
      fc.property(fc.array(values, { maxLength: 4 }), (found) => {
        const bodies = found.flatMap((value) => listBodies(value));
        const diagnosis = diagnoseBodies(bodies, options);
        expect(diagnosis.bodies + diagnosis.unreadable.length).toBe(bodies.length);
        expect(formatDiagnosis(diagnosis)).toContain(`${diagnosis.bodies} bod`);
        readable += diagnosis.bodies;
      }),
      { numRuns: 4000 },
    );
    expect(readable).toBeGreaterThan(100);
  });

  it("bears JSON that is nested as deeply as it can be read, and says so of what is nested more deeply", () => {
    const pairs = (depth: number): string[] => {
      const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const chat = (part: string, more = ""): string =>
        `{"messages":[{"role":"user","content":[${part}]}${more}]}`;
      const gemini = (tool: string, more = ""): string =>
        `{"tools":[{"functionDeclarations":[${tool}]}],"contents":[{"role":"user","parts":[{"text":"q"}]}${more}]}`;
      const later = ',{"role":"assistant","content":"a"},{"role":"user","content":"r"}';
      const part = `"x":${deep}`;
      return [
        chat(`{"type":"z",${part},"y":1}`),
        chat(`{"type":"z","y":1,${part}}`, later),
        chat(`{"type":"z",${part},"y":{"type":"image","data":"d"}}`),
        chat(`{"type":"z","y":{"type":"image","data":"d"},${part}}`, later),
        gemini(deep),
        gemini(
          `${deep},1`,
          ',{"role":"model","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"r"}]}',
        ),
      ];
    };
    const unreadable = (depth: number): number => diagnoseBodies(pairs(depth), options).unreadable.length;
    let [low, high] = [1, 100_000];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (unreadable(middle) === 0) low = middle;
      else high = middle;
    }
    for (let depth = low - 40; depth <= low + 20; depth++) expect(unreadable(depth)).toBeLessThanOrEqual(6);
    expect(unreadable(200_000)).toBe(6);
  });

  it("names another model beside another cause, and takes everything as lost then", () => {
    const { breaks } = diagnoseBodies(
      [apis.openai({ turns: later }), apis.openai({ turns: longer.slice(2), model: "gpt-5-mini" })],
      options,
    );
    expect(breaks).toMatchObject([
      { cause: "history-trimmed", also: [{ cause: "model-changed" }], sharedTokens: 0, lostTokens: 11 },
    ]);
  });

  it("knows that an Anthropic tool choice empties the messages' part of the cache, and that temperature does not", () => {
    const body = (turns: readonly Turn[], extra: object) =>
      apis.anthropic({ turns, extra, system: "a b c d" });
    const { breaks } = diagnoseBodies(
      [body(first, { temperature: 0 }), body(later, { temperature: 1, tool_choice: { type: "any" } })],
      options,
    );
    expect(breaks).toMatchObject([
      { cause: "settings-changed", sharedTokens: 4, lostTokens: 6, place: undefined },
    ]);
    expect(diagnoseBodies([body(first, {}), body(later, { temperature: 1 })], options).breaks).toEqual([]);
  });

  it("finds Chat Completions messages that were joined or divided", () => {
    const body = (...contents: unknown[]): object => ({
      messages: [
        ...contents.map((content) => ({ role: "user", content })),
        { role: "assistant", content: "answer" },
        { role: "user", content: "next" },
      ],
    });
    const [joined, divided] = [body(["question", "and more"]), body("question", "and more")];
    expect(causes(diagnoseBodies([joined, divided], options))).toEqual(["shape-changed"]);
    expect(causes(diagnoseBodies([divided, joined], options))).toEqual(["shape-changed"]);
  });

  it.each([
    ["bare", (body: unknown) => body],
    ["in a field", (body: unknown) => ({ time: "10:00", body })],
    ["as text in a field", (body: unknown) => JSON.stringify({ request: { body: JSON.stringify(body) } })],
    ["in an SDK's log", (body: unknown) => ({ input: body, output: {} })],
  ])("finds a body %s", (_, wrap) => {
    const bodies = [apis.anthropic({ turns: first }), apis.anthropic({ turns: later })].map(wrap);
    expect(diagnoseBodies(bodies, options)).toMatchObject({ bodies: 2, breaks: [], unreadable: [] });
  });

  it("compares the functions in Gemini's one list each by itself", () => {
    const body = (turns: readonly Turn[], ...tools: string[]) => apis.gemini({ turns, tools });
    const [reordered, added] = [
      diagnoseBodies([body(first, "search", "open"), body(later, "open", "search")], options),
      diagnoseBodies([body(first, "search", "open"), body(later, "search", "open", "close")], options),
    ];
    expect(reordered.breaks).toMatchObject([{ cause: "tools-reordered" }]);
    expect(added.breaks).toMatchObject([{ cause: "tools-changed", detail: "tools added: close" }]);
  });

  it("takes a list of bodies, or of nothing that a model reads, for no body", () => {
    const bodies = [apis.openai({ turns: first }), apis.openai({ turns: later })];
    const lists = [bodies, JSON.stringify(bodies.map((body) => ({ body }))), [{ level: "info" }], []];
    const diagnosis = diagnoseBodies(lists, options);
    expect(diagnosis.unreadable.map(({ reason }) => reason)).toEqual([
      "it is a list of bodies; give each of them by itself",
      "it is a list of bodies; give each of them by itself",
      "it is a list, but neither of bodies nor of messages",
      "it is a list, but neither of bodies nor of messages",
    ]);
    expect(listBodies(JSON.stringify(bodies))).toEqual(bodies);
    expect(listBodies({ data: bodies })).toEqual(bodies);
    expect(listBodies(bodies[0])).toEqual([bodies[0]]);
    const items = [
      { role: "user", content: "q" },
      { type: "custom_tool_call", call_id: "1", input: "i" },
    ];
    expect(listBodies(items)).toEqual([items]);
    expect(diagnoseBodies([items], options)).toMatchObject({ bodies: 1, unreadable: [] });
  });

  it("keeps of long texts what is around the place alone, and says how much it cut", () => {
    const body = (middle: string, turns: readonly Turn[]) =>
      apis.openai({ system: `${"a".repeat(1000)}${middle}${"z".repeat(1000)}`, turns });
    const { breaks } = diagnoseBodies([body("x", first), body("y", later)], options);
    expect(breaks[0]?.place).toMatchObject({
      character: 1000,
      previous: { text: `${"a".repeat(120)}x${"z".repeat(119)}`, cutBefore: 880, cutAfter: 881 },
      next: { text: `${"a".repeat(120)}y${"z".repeat(119)}`, cutBefore: 880, cutAfter: 881 },
    });
    expect(JSON.stringify(breaks).length).toBeLessThan(1500);
  });

  it("counts as cacheable only what is long enough, in the sums as in the breaks", () => {
    const bodies = [
      apis.openai({ turns: first, system: "a b c" }),
      apis.openai({ turns: later, system: "a b c" }),
      apis.openai({ turns: longer, system: "x b c" }),
    ];
    const short = diagnoseBodies(bodies, { countTokens: words });
    expect(short).toMatchObject({ breaks: [{ lostTokens: 0 }], reusableTokens: 0, lostTokens: 0 });
    expect(formatDiagnosis(short)).toContain("0 of them cacheable as sent, 0 lost.");
    // 9, 13 and 17 tokens: what the last two begin with is too short, and so all of the second is lost.
    expect(diagnoseBodies(bodies, { countTokens: words, minimumTokens: 4 })).toMatchObject({
      breaks: [{ lostTokens: 13, sharedTokens: 0 }],
      reusableTokens: 9,
    });
  });

  it("names the models that the price table has not", () => {
    const body = (model: string, system: string, turns: readonly Turn[]) =>
      apis.openai({ model, system, turns });
    const bodies = [
      body("gpt-5", "a b c", first),
      body("gpt-5", "x b c", later),
      body("other", "x b c", longer),
      body("other", "y b c", [...longer, ["assistant", "a"], ["user", "u"]]),
    ];
    const prices = { "gpt-5": { input: 1, cachedInput: 0.1 } };
    const diagnosis = diagnoseBodies(bodies, { ...options, prices });
    expect(diagnosis.unpricedModels).toEqual(["other"]);
    const text = formatDiagnosis(diagnosis);
    expect(text.match(/No price is known for other: what it lost is not in any amount\./g)).toHaveLength(1);
    expect(text).toContain("< $0.0001 on gpt-5");
    expect(text).not.toContain("$0.0000");
    expect(diagnoseBodies(bodies, options).unpricedModels).toEqual([]);
  });

  it("lists what cannot be read and goes on", () => {
    const diagnosis = diagnoseBodies(
      ["{", apis.openai({ turns: first }), "null", {}, apis.openai({ turns: later })],
      options,
    );
    expect(diagnosis.unreadable.map(({ body }) => body)).toEqual([0, 2, 3]);
    expect(diagnosis).toMatchObject({ bodies: 2, breaks: [] });
  });

  it("finds no break in what a renderer of this project sends, and names a rewrite", () => {
    const events = [
      ["agents/context-added", { role: "system", key: "k", content: "one" }],
      ["agents/context-added", { role: "user", content: "q" }],
      ["agent/llm-request-requested", { model: "m" }],
      ["agent/llm-request-settled", { requestOffset: 3, result: { status: "succeeded" } }],
      ["agents/context-added", { role: "system", key: "k", content: "two" }],
      ["agents/context-added", { role: "user", content: "r" }],
      ["agent/llm-request-requested", { model: "m" }],
      ["agent/llm-request-settled", { requestOffset: 7, result: { status: "succeeded" } }],
      ["agents/context-rewritten", { op: "replace", key: "k", content: "three" }],
      ["agents/context-added", { role: "user", content: "s" }],
      ["agent/llm-request-requested", { model: "m" }],
    ].map(([type, payload], index) => ({
      offset: index + 1,
      type: type as string,
      payload,
      createdAt: `2026-03-02T09:00:${String(index).padStart(2, "0")}.000Z`,
    }));
    for (const mapping of ["openai-chat", "openai-responses", "anthropic-messages", "gemini", "ai-sdk"]) {
      const bodies = [3, 7, 11].map(
        (through) => renderRequest(foldEvents(events, { through }).state, { mapping }).body,
      );
      const { breaks } = diagnoseBodies(bodies, options);
      expect(breaks).toMatchObject([{ body: 2, cause: "system-edited" }]);
    }
  });

  it("remembers a bounded number of conversations, and no body that was continued", () => {
    const doctor = new BodyDoctor(options);
    for (let number = 0; number < 50; number++) {
      doctor.add(apis.openai({ turns: [["user", `conversation ${number}`]] }));
    }
    // The first is forgotten by now: its continuation counts as one more.
    doctor.add(
      apis.openai({
        turns: [
          ["user", "conversation 49"],
          ["assistant", "a"],
          ["user", "b"],
        ],
      }),
    );
    expect(doctor.diagnosis).toMatchObject({ bodies: 51, conversations: 50, breaks: [] });
  });
});

describe("formatDiagnosis", () => {
  it("says what, where, how much and what to do", () => {
    const body = (time: string, turns: readonly Turn[]) =>
      apis.anthropic({ system: `You are Ada.\nNow: ${time}`, turns });
    const diagnosis = diagnoseBodies([body("10:00:59", first.slice(0, 1)), body("10:01:00", first), {}], {
      ...options,
      prices: { "claude-opus-5": { input: 50_000, cachedInput: 5000, cacheWrite: 62_500 } },
    });
    expect(formatDiagnosis(diagnosis)).toBe(`body 2: a clock in the prompt (compared with body 1)
  what    a date or a time in the system text is another one in this request
  where   system[0], system, character 22, byte 22
  before  You are Ada.\\nNow: 10:0▸0:59
  now     You are Ada.\\nNow: 10:0▸1:00
  lost    7 of 7 tokens that could have come from the cache, $0.4025 on claude-opus-5
  remedy  Keep times out of what is sent again; append the current time as a new message at the end instead.

body 3: passed over, not a provider body: it has none of the fields \`messages\`, \`input\` and \`contents\`; pass the JSON body of an OpenAI, Anthropic, Gemini or AI SDK request

2 bodies in 1 conversation, 1 break, 1 not readable.
18 tokens sent, 0 of them cacheable as sent, 7 lost ($0.4025).
`);
  });

  it("shows a tool as it was sent, on one line", () => {
    const body = (description: string, turns: readonly Turn[]) => ({
      messages: turns.map(([role, content]) => ({ role, content })),
      tools: [{ name: "search", description }],
    });
    const text = formatDiagnosis(diagnoseBodies([body("a\n\u2028b", first), body("a\n\u2028c", later)]));
    expect(text).toContain('  before  …":"search","description":"a\\n\\u2028▸b"}\n');
  });

  it("praises nothing where there was nothing to compare", () => {
    const sums = (...bodies: unknown[]): string =>
      formatDiagnosis(diagnoseBodies(bodies)).trim().split("\n").at(-1) ?? "";
    expect(sums({}, "x")).toBe("0 bodies in 0 conversations, 2 not readable.");
    expect(sums(apis.openai({ turns: first }))).toBe(
      "1 body in 1 conversation, none goes on from another, so there is nothing to compare.",
    );
  });

  it.each([
    [
      { model: "text-embedding-3", input: "x" },
      "it is a call for embeddings, which has an `input` and no prompt that",
    ],
    [{ messages: "hi" }, "its `messages` is no list; "],
    [{ contents: 5 }, "its `contents` is neither a list nor a text; "],
    [{ model: "x", messages: null }, "it has none of the fields `messages`, `input` and `contents`"],
  ])("says of %j what it is", (body, reason) => {
    expect(diagnoseBodies([body]).unreadable).toEqual([
      { body: 0, reason: expect.stringContaining(reason) as string },
    ]);
  });

  it("praises nothing and says so shortly where all is well", () => {
    expect(
      formatDiagnosis(diagnoseBodies([apis.openai({ turns: first }), apis.openai({ turns: later })])),
    ).toBe("2 bodies in 1 conversation, no break.\n");
  });
});
