import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnoseBodies, type Diagnosis } from "../../index.ts";
import { apis, type ApiName, type Conversation, type Turn } from "../testing/api-bodies.ts";

const options = { countTokens: (text: string): number => text.split(/\s+/).length, minimumTokens: 0 };

function diagnose(...bodies: readonly object[]): Diagnosis {
  return diagnoseBodies(bodies, options);
}

const gardener = `You are Ada, who knows gardens. ${"Answer with care and name a source. ".repeat(20)}`;
const reviewer = `You review code. ${"Read each line twice before you judge it. ".repeat(20)}`;

/** The first messages of a conversation, each of which nobody else writes. */
function turnsOf(name: string, length: number, question = `${name} asks`): Turn[] {
  return Array.from({ length }, (_, index): Turn => {
    if (index === 0) return ["user", question];
    return index % 2 === 1 ? ["assistant", `${name} is told ${index}`] : ["user", `${name} asks on ${index}`];
  });
}

describe("bodies that have nothing to do with each other", () => {
  const support = (length: number) => apis.openai({ system: gardener, turns: turnsOf("ann", length) });
  const review = (length: number) => apis.anthropic({ system: reviewer, turns: turnsOf("bob", length) });

  it.each([
    ["mixed", [support(1), review(1), support(3), review(3)]],
    ["one after the other", [support(1), support(3), review(1), review(3)]],
  ])("are two conversations when two APIs are %s", (_, bodies) => {
    expect(diagnose(...bodies)).toMatchObject({ conversations: 2, breaks: [] });
  });

  const question = "What is the tallest tree?";
  const agent = (system: string, length: number, more: Partial<Conversation> = {}) =>
    apis.openai({ system, tools: ["search", "open"], turns: turnsOf("ann", length, question), ...more });

  it("are two conversations when two agents are asked the same, and a break of one is told once", () => {
    const diagnosis = diagnose(
      agent(gardener, 1),
      agent(reviewer, 1),
      agent(gardener, 3),
      agent(reviewer, 3),
      agent(gardener, 5, { tools: ["open", "search"] }),
      agent(reviewer, 5),
    );
    expect(diagnosis).toMatchObject({
      conversations: 2,
      breaks: [{ body: 4, previous: 2, cause: "tools-reordered" }],
    });
  });

  it.each([
    ["for the question", 1],
    ["for the whole conversation so far", 4],
  ])("are two conversations when one is a call for a title, %s", (_, length) => {
    const turns = turnsOf("ann", length, question);
    const title = apis.openai({ system: "Write a title.", turns: [...turns, ["user", "A title, please."]] });
    expect(diagnose(agent(gardener, 1), agent(gardener, 3), title, agent(gardener, 5))).toMatchObject({
      conversations: 2,
      breaks: [],
    });
  });

  it("are as many conversations as there are models, APIs or prompts that are tried on one question", () => {
    const turns = turnsOf("ann", 1, question);
    const tried = [
      apis.openai({ system: gardener, turns }),
      apis.openai({ system: gardener, turns, model: "gpt-5-mini" }),
      apis.anthropic({ system: gardener, turns }),
      apis.gemini({ system: gardener, turns }),
      apis.openai({ system: `${gardener} Be brief.`, turns }),
      apis.openai({ system: reviewer, turns }),
    ];
    expect(diagnose(...tried)).toMatchObject({ conversations: 6, breaks: [] });
  });

  it("are two conversations when only examples are the same", () => {
    const body = (turn: string) => apis.openai({ turns: [...turnsOf("example", 6), ["user", turn]] });
    expect(diagnose(body("one"), body("two"), body("three"))).toMatchObject({ conversations: 3, breaks: [] });
  });

  it("are two conversations when a greeting is answered twice", () => {
    const body = (name: string, length: number) =>
      apis.gemini({ system: gardener, turns: turnsOf(name, length, "Hi") });
    expect(diagnose(body("ann", 1), body("bob", 1), body("ann", 3), body("bob", 3))).toMatchObject({
      conversations: 2,
      breaks: [],
    });
  });

  it("are no break when each has a time of its own that stays the same", () => {
    const body = (name: string, time: string, length: number) =>
      apis.openai({ system: `${gardener} It is ${time}.`, turns: turnsOf(name, length) });
    const bodies = [body("ann", "10:00", 1), body("bob", "10:01", 1)];
    expect(diagnose(...bodies)).toMatchObject({ conversations: 2, breaks: [{ cause: "clock" }] });
    bodies.push(body("ann", "10:00", 3));
    expect(diagnose(...bodies)).toMatchObject({ conversations: 2, breaks: [] });
  });
});

describe("a body that continues another one", () => {
  it.each(["anthropic", "gemini", "responses"] as const)("is found when the API is now %s", (api) => {
    const diagnosis = diagnose(
      apis.openai({ system: gardener, turns: turnsOf("ann", 3) }),
      apis.openai({ system: reviewer, turns: turnsOf("bob", 3) }),
      apis[api]({ system: gardener, turns: turnsOf("ann", 5) }),
    );
    expect(diagnosis).toMatchObject({
      conversations: 2,
      breaks: [{ body: 2, previous: 0, cause: "api-changed" }],
    });
  });

  it("is found when another agent takes the conversation over", () => {
    const diagnosis = diagnose(
      apis.openai({ system: gardener, turns: turnsOf("ann", 3) }),
      apis.openai({ system: reviewer, turns: turnsOf("ann", 5) }),
      apis.openai({ system: reviewer, turns: turnsOf("ann", 7) }),
    );
    expect(diagnosis).toMatchObject({
      conversations: 1,
      breaks: [{ body: 1, previous: 0, cause: "system-edited" }],
    });
  });

  it("is found when the identifiers of its calls are others each time", () => {
    const body = (id: string, length: number) => ({
      messages: [
        { role: "user", content: "q" },
        ...Array.from({ length }, (_, index) => [
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: `call_${id}${index}aB3dE`, function: { name: `step${index}` } }],
          },
          { role: "tool", tool_call_id: `call_${id}${index}aB3dE`, content: `result ${index}` },
        ]).flat(),
      ],
    });
    expect(diagnose(body("xYz1", 1), body("kLm2", 2))).toMatchObject({
      conversations: 1,
      breaks: [{ cause: "varying-id" }],
    });
  });

  it("is found when tools come in one of two orders, each of which was sent before", () => {
    const body = (length: number, ...tools: string[]) =>
      apis.openai({ system: gardener, tools, turns: turnsOf("ann", length) });
    expect(diagnose(body(1, "a", "b"), body(3, "b", "a"), body(5, "a", "b")).breaks).toMatchObject([
      { body: 1, cause: "tools-reordered" },
      { body: 2, cause: "tools-reordered" },
    ]);
  });

  it("is found when a result was cleared, and that is no reminder that moved", () => {
    const body = (result: string, ...more: object[]) => ({
      messages: [
        { role: "user", content: "q" },
        { role: "assistant", content: null, tool_calls: [{ id: "1", function: { name: "s" } }] },
        { role: "tool", tool_call_id: "1", content: result },
        ...more,
      ],
    });
    const { breaks } = diagnose(
      body("long"),
      body("[cleared]", { role: "assistant", content: "a" }, { role: "user", content: "b" }),
    );
    expect(breaks).toMatchObject([{ cause: "history-rewritten" }]);
  });
});

/** Messages as short words: `u1` is the user's, `a1` the model's; of one conversation unless the words differ. */
function chat(words: string, system = gardener, model = "gpt-5"): object {
  const turns = words.split(" ").map((word): Turn => [word.startsWith("a") ? "assistant" : "user", word]);
  return apis.openai({ system, model, turns });
}

describe("logs as agents write them", () => {
  it.each<[string, conversations: number, breaks: string[], bodies: object[]]>([
    ["a retry", 1, [], [chat("u1"), chat("u1"), chat("u1"), chat("u1 a1 u2")]],
    [
      "a retry, and then an answer that is rewritten",
      1,
      ["3 history-rewritten"],
      [chat("u1"), chat("u1"), chat("u1 a1 u2"), chat("u1 a-cleared u2 a2 u3")],
    ],
    [
      "a window of three messages",
      1,
      ["2 history-trimmed", "3 history-trimmed"],
      [chat("u1"), chat("u1 a1 u2"), chat("u2 a2 u3"), chat("u3 a3 u4")],
    ],
    [
      "a summary, with the last messages kept",
      1,
      ["1 history-summarised"],
      [chat("u1 a1 u2 a2 u3 a3 u4 a4 u5"), chat("u-summary a4 u5 a5 u6")],
    ],
    ["a summary of all", 2, [], [chat("u1 a1 u2 a2 u3"), chat("u-summary"), chat("u-summary a u")]],
    ["an answer made anew", 2, [], [chat("u1 a1 u2"), chat("u1 a1 u2 a2 u3"), chat("u1 a1 u2 a-new u4")]],
    ["an edited question", 2, [], [chat("u1 a1 u2"), chat("u1 a1 u-new"), chat("u1 a1 u-new a2 u3")]],
    [
      "two agents that answer by turns",
      2,
      [],
      [
        chat("u1 a1 u2"),
        chat("u1 a1 u2 a2 u3", reviewer),
        chat("u1 a1 u2 a2 u3 a3 u4"),
        chat("u1 a1 u2 a2 u3 a3 u4 a4 u5", reviewer),
      ],
    ],
    [
      "another model for a turn",
      1,
      ["1 model-changed", "2 model-changed"],
      [chat("u1"), chat("u1 a1 u2", gardener, "other"), chat("u1 a1 u2 a2 u3")],
    ],
    [
      "a title from the history, by another model",
      2,
      [],
      [chat("u1 a1 u2"), chat("u1 a1 u2 a2 u-title", "Write a title.", "other")],
    ],
    [
      "another system text tried on a history that goes on as it was",
      2,
      [],
      [chat("u1 a1 u2"), chat("u1 a1 u2", `${gardener} Be brief.`), chat("u1 a1 u2 a2 u3")],
    ],
  ])("are read right: %s", (_, conversations, breaks, bodies) => {
    const diagnosis = diagnose(...bodies);
    expect(diagnosis.breaks.map(({ body, cause }) => `${body} ${cause}`)).toEqual(breaks);
    expect(diagnosis.conversations).toBe(conversations);
  });
});

interface Spec {
  readonly api: ApiName;
  readonly system: number;
  readonly question: number;
  readonly tools: readonly string[];
  readonly requests: number;
}

const systems = [
  `${gardener} The session began at 10:00.`,
  `${reviewer} The session began at 10:00.`,
  `${gardener} ${reviewer} The session began at 10:00.`,
];
const questions = ["Hello", "What is the tallest tree?"];

const spec: fc.Arbitrary<Spec> = fc.record({
  api: fc.constantFrom<ApiName>("openai", "responses", "anthropic", "gemini"),
  system: fc.nat({ max: systems.length - 1 }),
  question: fc.nat({ max: questions.length - 1 }),
  tools: fc.constantFrom(["search", "open"], ["open", "search", "close"]),
  requests: fc.integer({ min: 2, max: 5 }),
});

/** The conversation of each request, from what is chosen of those that are left. */
function interleave(specs: readonly Spec[], picks: readonly number[]): number[] {
  const left = specs.map(({ requests }) => requests);
  const order: number[] = [];
  for (let step = 0; left.some((requests) => requests > 0); step++) {
    const open = left.flatMap((requests, index) => (requests > 0 ? [index] : []));
    const chosen = open[(picks[step % picks.length] ?? 0) % open.length] ?? 0;
    left[chosen] = (left[chosen] ?? 0) - 1;
    order.push(chosen);
  }
  return order;
}

/** How often each number was asked about before. */
function countUp(): (name: number) => number {
  const counts = new Map<number, number>();
  return (name) => {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return count;
  };
}

function conversationOf({ system, question, tools }: Spec, name: number, request: number): Conversation {
  return {
    system: systems[system] ?? "",
    tools,
    turns: turnsOf(`n${name}`, 1 + 2 * request, questions[question]),
  };
}

type Fault = (conversation: Conversation, api: ApiName) => { conversation: Conversation; api: ApiName };

/** What breaks a conversation from one request on, and the first request that it can break. */
const faults: Readonly<Record<string, { readonly from: number; readonly change: Fault }>> = {
  clock: {
    from: 1,
    change: (conversation, api) => ({
      conversation: { ...conversation, system: (conversation.system ?? "").replace("10:00", "10:07") },
      api,
    }),
  },
  "edited system text": {
    from: 1,
    change: (conversation, api) => ({
      conversation: { ...conversation, system: (conversation.system ?? "").replace("You", "I say that you") },
      api,
    }),
  },
  "tools in another order": {
    from: 1,
    change: (conversation, api) => ({
      conversation: { ...conversation, tools: [...(conversation.tools ?? [])].reverse() },
      api,
    }),
  },
  "another tool": {
    from: 1,
    change: (conversation, api) => ({
      conversation: { ...conversation, tools: [...(conversation.tools ?? []), "fetch"] },
      api,
    }),
  },
  "a first message put in": {
    from: 1,
    change: (conversation, api) => ({
      conversation: { ...conversation, turns: [["user", "memory"], ...conversation.turns] },
      api,
    }),
  },
  "a rewritten answer": {
    from: 2,
    change: (conversation, api) => ({
      conversation: { ...conversation, turns: conversation.turns.with(1, ["assistant", "[cleared]"]) },
      api,
    }),
  },
  "a sliding window": {
    from: 2,
    change: (conversation, api) => ({
      conversation: { ...conversation, turns: conversation.turns.slice(2) },
      api,
    }),
  },
  "another model": {
    from: 1,
    change: (conversation, api) => ({ conversation: { ...conversation, model: "another" }, api }),
  },
  "another API": {
    from: 1,
    change: (conversation, api) => ({ conversation, api: api === "anthropic" ? "openai" : "anthropic" }),
  },
};

describe("conversations of several APIs in any order", () => {
  const input = [
    fc.array(spec, { minLength: 1, maxLength: 6 }),
    fc.array(fc.nat(), { minLength: 1, maxLength: 12 }),
  ] as const;

  it("are told apart, and have no break when each keeps the law", () => {
    fc.assert(
      fc.property(...input, (specs, picks) => {
        const next = countUp();
        const bodies = interleave(specs, picks).map((name) => {
          const each = specs[name] as Spec;
          return apis[each.api](conversationOf(each, name, next(name)));
        });
        expect(diagnose(...bodies)).toMatchObject({ conversations: specs.length, breaks: [] });
      }),
      { numRuns: 3000 },
    );
  });

  it.each(Object.entries(faults))("have one break when one of them has %s", (_, { from, change }) => {
    fc.assert(
      fc.property(...input, fc.nat(), (specs, picks, pick) => {
        const request = from + (pick % 2);
        // Its own question, so that no other conversation could be the one that it continues.
        const broken = specs.map((each, name) =>
          name === 0
            ? { ...each, question: questions.length, requests: Math.max(each.requests, request + 1) }
            : each,
        );
        const next = countUp();
        let at = -1;
        const bodies = interleave(broken, picks).map((name, index) => {
          const each = broken[name] as Spec;
          const number = next(name);
          const conversation = conversationOf(each, name, number);
          if (name === 0 && number === request) at = index;
          const isFaulty = name === 0 && number >= request;
          const body = isFaulty ? change(conversation, each.api) : { conversation, api: each.api };
          return apis[body.api](body.conversation);
        });
        expect(diagnose(...bodies)).toMatchObject({ conversations: specs.length, breaks: [{ body: at }] });
      }),
      { numRuns: 1000 },
    );
  });
});

describe("side questions about the whole history", () => {
  const history = turnsOf("ann", 9);
  const main = (length: number): object => apis.openai({ system: gardener, turns: history.slice(0, length) });
  const ask = (length: number, side: Partial<Conversation>): object =>
    apis.openai({
      system: gardener,
      ...side,
      turns: [...history.slice(0, length), ["user", "What may ann ask next?"]],
    });

  it.each<[string, Partial<Conversation>]>([
    ["of the same model", {}],
    ["of another model", { model: "gpt-5-mini" }],
    ["of another model, with another system text", { model: "gpt-5-mini", system: "Guess." }],
  ])("%s break nothing, however many are asked", (_, side) => {
    const bodies = [1, 3, 5, 7].flatMap((length) => [main(length), ask(length + 1, side)]);
    expect(diagnose(...bodies, main(9)).breaks).toEqual([]);
  });

  it("hide no break of the history that they are asked about", () => {
    const bodies = [main(1), ask(2, {}), main(3), ask(4, {}), main(5)];
    const rewritten = history.slice(0, 7).with(1, ["assistant", "ann was told otherwise"]);
    expect(diagnose(...bodies, apis.openai({ system: gardener, turns: rewritten })).breaks).toMatchObject([
      { body: 5, previous: 4, cause: "history-rewritten" },
    ]);
  });
});

describe("agents that are asked the same at the same time", () => {
  const step = (id: string, command: string, result: string): object[] => [
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id, type: "function", function: { name: "sh", arguments: JSON.stringify({ command }) } },
      ],
    },
    { role: "tool", tool_call_id: id, content: result },
  ];
  const body = (...steps: object[][]): object => ({
    model: "gpt-5",
    messages: [
      { role: "system", content: gardener },
      { role: "user", content: "Fix the test." },
      ...steps.flat(),
    ],
  });
  const a = [
    step("call_dq7SEvAdbm0LJNCO9Hy5YXE2", "list", "a.ts"),
    step("call_aaKhqlKspZnIF7Zj3GQitDg1", "open", "text"),
  ];
  const b = [
    step("call_gaKhqlKspZnIF7Zj3GQitDgc", "run", "1 failed"),
    step("call_bbKhqlKspZnIF7Zj3GQitDg2", "fix", "done"),
  ];

  it("are conversations of their own, however alike the names of their calls look", () => {
    const bodies = [body(), body(), body(...a.slice(0, 1)), body(...b.slice(0, 1)), body(...a), body(...b)];
    expect(diagnose(...bodies)).toMatchObject({ conversations: 2, breaks: [] });
  });

  it("are conversations of their own when their calls have equal results", () => {
    const [first, second] = [step("c1", "list", "ok"), step("c1", "run", "ok")];
    const more = step("c2", "open", "text");
    const bodies = [body(), body(), body(first), body(second), body(first, more), body(second, more)];
    expect(diagnose(...bodies)).toMatchObject({ conversations: 2, breaks: [] });
  });
});

describe("what follows a side question", () => {
  const history = turnsOf("ann", 9);
  const main = (length: number, more: Partial<Conversation> = {}): object =>
    apis.openai({ system: gardener, turns: history.slice(0, length), ...more });
  const ask = (length: number): object =>
    apis.openai({ system: gardener, turns: [...history.slice(0, length), ["user", "What next?"]] });
  const before = [main(1), ask(2), main(3), ask(4), main(5), ask(6)];

  it.each<[string, object, string]>([
    ["another model", main(7, { model: "gpt-5-mini" }), "model-changed"],
    [
      "an output format",
      main(7, { extra: { response_format: { type: "json_object" } } }),
      "settings-changed",
    ],
    ["a window that moved", main(7, { turns: history.slice(2, 7) }), "history-trimmed"],
    [
      "a summary",
      main(7, { turns: [["user", "They talked about trees."], ...history.slice(2, 7)] }),
      "history-summarised",
    ],
  ])("is told, being %s", (_, body, cause) => {
    expect(diagnose(...before, body).breaks).toMatchObject([{ body: 6, cause }]);
  });

  it("is no break where the main line goes on as it was", () => {
    expect(diagnose(...before, main(7), ask(8), main(9)).breaks).toEqual([]);
  });
});

describe("another model that a conversation goes on with", () => {
  const history = turnsOf("ann", 9);
  const body = (length: number, model: string, last?: string): object =>
    apis.openai({
      system: gardener,
      model,
      turns: history
        .slice(0, length)
        .map(([role, text], at): Turn => [role, at === length - 1 ? (last ?? text) : text]),
    });

  it("is told of once, where it came, also when a message is worded anew later", () => {
    const bodies = [body(1, "gpt-5"), body(3, "gpt-5"), body(5, "gpt-5-mini"), body(7, "gpt-5-mini")];
    for (const more of [
      [],
      [body(7, "gpt-5-mini", "asked in other words")],
      [body(5, "gpt-5-mini", "other words")],
    ]) {
      expect(diagnose(...bodies, ...more).breaks).toMatchObject([
        { body: 2, previous: 1, cause: "model-changed" },
      ]);
    }
  });

  it("is compared with its own requests where two answer the same history", () => {
    const now = (model: string, time: string, length: number): object =>
      apis.openai({ system: `Now ${time}. ${gardener}`, model, turns: history.slice(0, length) });
    const bodies = [1, 3, 5].flatMap((length) => [
      now("gpt-5", `10:0${length}`, length),
      now("gpt-5-mini", `11:0${length}`, length),
    ]);
    expect(
      diagnose(...bodies).breaks.map(({ body: at, previous, cause, model }) => [at, previous, cause, model]),
    ).toEqual([
      [2, 0, "clock", "gpt-5"],
      [3, 1, "clock", "gpt-5-mini"],
      [4, 2, "clock", "gpt-5"],
      [5, 3, "clock", "gpt-5-mini"],
    ]);
  });
});

it("tells of another model or format that goes on from a history on the server", () => {
  const line = (id: string, more: object): object => ({
    request: { model: "gpt-5", instructions: gardener, input: "q", ...more },
    response: { id, output: [] },
  });
  const first = line("resp_1", {});
  const later = (more: object): object =>
    line("resp_2", { previous_response_id: "resp_1", input: "r", ...more });
  expect(diagnose(first, later({})).breaks).toEqual([]);
  expect(diagnose(first, later({ model: "gpt-5-mini" })).breaks).toMatchObject([{ cause: "model-changed" }]);
});

it("tells of each change where a state comes back", () => {
  const history = turnsOf("ann", 13);
  const body = (length: number, mode: string): object =>
    apis.openai({ system: `Mode: ${mode}. ${gardener}`, turns: history.slice(0, length) });
  const bodies = ["act", "act", "plan", "plan", "act", "act", "plan"].map((mode, at) =>
    body(at * 2 + 1, mode),
  );
  expect(diagnose(...bodies)).toMatchObject({
    conversations: 1,
    breaks: [{ body: 2 }, { body: 4 }, { body: 6 }],
  });
});

it("tells of a call that is written anew after one more request than is needed to see it", () => {
  const call = (args: string): object => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "sh", arguments: args } }],
  });
  const result = { role: "tool", tool_call_id: "c1", content: "line of a file. ".repeat(20) };
  const body = (...more: object[]): object => ({
    model: "gpt-5",
    messages: [{ role: "system", content: gardener }, { role: "user", content: "Fix the test." }, ...more],
  });
  const later = [
    { role: "assistant", content: "Done." },
    { role: "user", content: "Thanks." },
  ];
  const bodies = [body(), body(call('{"a":1,"b":2}'), result), body(call('{"b":2,"a":1}'), result, ...later)];
  expect(diagnose(...bodies).breaks).toMatchObject([{ body: 2, cause: "json-reordered" }]);
});
