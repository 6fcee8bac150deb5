import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  AgentConfig,
  eventJsonSchema,
  eventTrust,
  isSectionKey,
  type KnownEventType,
  parseEvent,
  payloadJsonSchema,
  payloadSchemas,
  type StoredEvent,
} from "./index.ts";

function stored(type: string, payload: unknown, rest: Partial<StoredEvent> = {}): StoredEvent {
  return { offset: 1, type, payload, createdAt: "2026-03-02T09:00:00.000Z", ...rest };
}

const added = (payload: unknown) => parseEvent(stored("agents/context-added", payload));

describe("parseEvent", () => {
  it("knows an event, judges its trust and keeps fields that the schema does not know", () => {
    const parsed = added({ role: "user", content: "hi", attachments: [{ kind: "image" }], mood: "fine" });
    expect(parsed).toMatchObject({
      kind: "known",
      event: { trust: "inside", payload: { attachments: [{ kind: "image" }], mood: "fine" } },
    });
  });

  it.each([
    ["llmRequestPolicy", { behaviour: "some-day" }],
    ["llmRequestPolicy", "soon"],
    ["llmRequestOffset", "seven"],
    ["origin", 5],
    ["truncated", "yes"],
    ["compaction", { replacesHistoryThrough: "all" }],
  ])("ignores an unknown value of the optional field %s without losing the message", (field, value) => {
    const parsed = added({ role: "developer", content: "hi", [field]: value });
    if (parsed.kind !== "known") throw new Error(`the message is ${parsed.kind}`);
    expect(parsed.event.payload).toMatchObject({ content: "hi" });
    expect((parsed.event.payload as Record<string, unknown>)[field]).toBeUndefined();
  });

  it.each([
    ["agents/context-added", { role: "user" }, "payload.content"],
    ["agents/context-added", { role: "narrator", content: "x" }, "payload.role"],
    ["agents/context-added", { role: "system", content: "x", key: "" }, "payload.key"],
    ["agents/context-added", { role: "system", content: "x", key: "*" }, "payload.key"],
    ["agents/context-added", { role: "system", content: "x", key: 'a"b' }, "payload.key"],
    [
      "agents/context-added",
      { role: "developer", content: "x", key: "k", compaction: { replacesHistoryThrough: 1 } },
      "payload.compaction",
    ],
    ["agents/context-rewritten", { op: "replace", key: "*", content: "x" }, "payload.key"],
    ["agents/context-rewritten", { op: "delete", key: "a", content: "x" }, "payload.content"],
    ["agents/context-rewritten", { op: "append", key: "a" }, "payload.op"],
    ["agent/configured", { config: [1] }, "payload.config"],
    ["agent/llm-request-requested", {}, "payload.model"],
    ["agent/llm-request-settled", { result: { status: "succeeded" } }, "payload.requestOffset"],
    [
      "capability-host/script-run-settled",
      { executionId: "a", settlement: { status: "odd" } },
      "payload.settlement.status",
    ],
    ["agent/created", null, "payload"],
  ])("reports a malformed %s and where", (type, payload, path) => {
    const parsed = parseEvent(stored(type, payload));
    expect(parsed.kind).toBe("malformed");
    expect(parsed.kind === "malformed" && parsed.issues.map((issue) => issue.path)).toContain(path);
  });

  it.each(["garden/rain-fell", "agents/context-added/v2", "__proto__", "constructor", "toString"])(
    "passes the unknown type %s through as it is",
    (type) => {
      const event = stored(type, { mm: 4 });
      expect(parseEvent(event)).toEqual({ kind: "unknown", event });
    },
  );

  it("never throws, whatever a payload holds", () => {
    const types = Object.keys(payloadSchemas) as KnownEventType[];
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.anything(), (type, payload) => {
        expect(["known", "malformed"]).toContain(parseEvent(stored(type, payload)).kind);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("parseEvent, by its shorter ways", () => {
  it.each([
    ["agents/context-added", { role: "user", content: "hi", mood: "fine" }],
    [
      "agents/context-added",
      { role: "system", content: "hi", key: "a", origin: { file: "a", line: 1, hash: "h" } },
    ],
    ["agents/context-added", JSON.parse('{"__proto__": {"key": "*"}, "content": "hi", "role": "user"}')],
    ["agent/llm-request-requested", { model: "m", mapping: "gemini@1", parameters: { maxOutputTokens: 5 } }],
    ["agent/llm-request-settled", { requestOffset: 1, result: { status: "succeeded" } }],
    ["agent/token-usage-reported", { requestOffset: 1, inputTokens: 3, outputTokens: 0 }],
    ["agent/summary-updated", { activity: null }],
  ])("keeps a flawless payload of %s as it is, whatever else it holds", (type, payload: object) => {
    const parsed = parseEvent(stored(type, payload));
    expect(parsed.kind).toBe("known");
    expect(parsed.event.payload).toBe(payload);
  });

  it("needs no code made at run time", () => {
    const entry = new URL("../dist/index.js", import.meta.url).href;
    const script = `
      import { parseEvent } from ${JSON.stringify(entry)};
      const payloads = [{ role: "user", content: "hi" }, { role: "user", content: "hi", actor: 1 }, { role: "user" }];
      const at = { offset: 1, type: "agents/context-added", createdAt: "2026-03-02T09:00:00.000Z" };
      console.log(payloads.map((payload) => parseEvent({ ...at, payload }).kind).join());
    `;
    const flags = ["--disallow-code-generation-from-strings", "--input-type=module", "-e", script];
    expect(execFileSync(process.execPath, flags, { encoding: "utf8" })).toBe("known,known,malformed\n");
  });

  const maybe = (...values: unknown[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const fields = {
    role: fc.constantFrom("user", "assistant", "system", "narrator", 7),
    content: fc.constantFrom("text", "", 7),
    key: maybe("rules", "*", 7),
    actor: maybe({ type: "user" }, { type: "script", more: 1 }, "me"),
    origin: maybe({ file: "a.md", line: 1, hash: "h" }, { file: "a.md" }),
    llmRequestPolicy: maybe({ behaviour: "dont-trigger-request" }, { behaviour: "some-day" }),
    llmRequestOffset: maybe(3, 0, "three"),
    truncated: maybe(true, "yes"),
    compaction: maybe({ replacesHistoryThrough: 3 }, {}),
    model: maybe("m", 7),
    mapping: maybe("gemini@1", 7),
    protocol: maybe("1", 1, true),
    parameters: maybe({ maxOutputTokens: 5, mood: 1 }, { maxOutputTokens: 0 }, { thinkingBudget: "long" }),
    requestOffset: maybe(3, -1),
    result: maybe({ status: "failed", error: "no" }, { status: "odd" }, "failed"),
    inputTokens: maybe(3, -1),
    outputTokens: maybe(0, "none"),
    cachedInputTokens: maybe(0, 1.5),
    title: maybe("t", null, 7),
    activity: maybe("a", null),
    attachments: maybe([{ kind: "image" }]),
  };
  const payload = fc.tuple(fc.record(fields), fc.subarray(Object.keys(fields))).map(([values, kept]) => {
    return Object.fromEntries(kept.map((field) => [field, values[field as keyof typeof values]]));
  });
  const types = [
    "agents/context-added",
    "agent/llm-request-requested",
    "agent/llm-request-settled",
    "agent/token-usage-reported",
    "agent/summary-updated",
  ] as const;

  it.each(types)("reads a payload of %s just as its schema does", (type) => {
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(payload, (given) => {
        const parsed = parseEvent(stored(type, given));
        const expected = payloadSchemas[type].safeParse(given);
        outcomes.add(parsed.kind);
        expect(parsed.kind).toBe(expected.success ? "known" : "malformed");
        if (parsed.kind !== "known") return;
        expect(parsed.event.payload).toStrictEqual(expected.data);
        // What needed tolerance must not have passed as flawless.
        if (parsed.event.payload === given) expect(expected.data).toStrictEqual(given);
      }),
      { numRuns: 5000 },
    );
    // Of a summary every field is optional and tolerated.
    const expected = type === "agent/summary-updated" ? ["known"] : ["known", "malformed"];
    expect([...outcomes].sort()).toEqual(expected);
  });
});

describe("eventTrust", () => {
  it.each([
    ["its source", { source: { processor: "p", trust: "inside" } }, { actor: { type: "user" } }, "inside"],
    ["its source", { source: { processor: "p", trust: "outside" } }, { actor: { type: "agent" } }, "outside"],
    ["no source and no actor", {}, {}, "inside"],
    ["no payload", {}, null, "inside"],
    ["a user", {}, { actor: { type: "user" } }, "outside"],
    ["an integration", {}, { actor: { type: "integration" } }, "outside"],
    ["the agent", {}, { actor: { type: "agent" } }, "inside"],
    ["a script", {}, { actor: { type: "script" } }, "inside"],
    ["a worker", {}, { actor: { type: "worker" } }, "inside"],
    ["the platform", {}, { actor: { type: "platform" } }, "inside"],
    ["an actor that cannot be read", {}, { actor: 7 }, "outside"],
    ["an actor named like a prototype member", {}, { actor: { type: "constructor" } }, "outside"],
  ])("judges by %s", (_, envelope, payload, trust) => {
    expect(eventTrust({ ...envelope, payload })).toBe(trust);
  });
});

describe("section keys", () => {
  it.each(["identity", " padded ", "tool/status", "__proto__", "10", "é🌱", "**"])("accept %j", (key) => {
    expect(isSectionKey(key)).toBe(true);
  });
  it.each(["", "*", 'a"b', "a<b", "a>b", "a\nb", "a\u0000b", "a\u007fb", "a\u0085b"])("refuse %j", (key) => {
    expect(isSectionKey(key)).toBe(false);
  });
});

describe("the configuration", () => {
  it("has the documented defaults", () => {
    expect(AgentConfig.parse({})).toEqual({
      model: "default",
      mapping: "openai-chat@1",
      protocol: "1",
      parameters: {},
      interpretResponses: true,
      llmRequestDebounceMs: 250,
      llmRequestExpiryMs: 600_000,
      llmRequestRetryPolicy: { maxAttempts: 3, backoffBaseMs: 10_000, backoffMaxMs: 60_000 },
      maxAutonomousTurns: 100,
      compaction: { threshold: 0.5 },
      scriptResultLimit: 30_000,
    });
  });

  it("treats a value that does not fit as absent, field by field", () => {
    const odd = {
      model: 5,
      llmRequestDebounceMs: -1,
      maxAutonomousTurns: "many",
      llmRequestRetryPolicy: { maxAttempts: 0, backoffBaseMs: 5 },
    };
    expect(AgentConfig.parse({ ...odd, protocol: 2, custom: true })).toMatchObject({
      model: "default",
      protocol: "2",
      llmRequestDebounceMs: 250,
      maxAutonomousTurns: 100,
      llmRequestRetryPolicy: { maxAttempts: 3, backoffBaseMs: 5, backoffMaxMs: 60_000 },
      custom: true,
    });
  });
});

describe("JSON Schemas", () => {
  it("exist for the envelope and every payload", () => {
    expect(eventJsonSchema()).toMatchObject({
      type: "object",
      required: expect.arrayContaining(["offset", "type"]) as unknown,
    });
    for (const type of Object.keys(payloadSchemas) as KnownEventType[]) {
      expect(payloadJsonSchema(type)).toHaveProperty("$schema");
    }
  });

  it("never narrow: what a released schema requires, later ones may only relax", () => {
    const released = JSON.parse(
      readFileSync(new URL("../fixtures/required-fields.json", import.meta.url), "utf8"),
    ) as Record<string, string[]>;
    for (const type of Object.keys(payloadSchemas) as KnownEventType[]) {
      const required = requiredFields(payloadJsonSchema(type));
      expect(released[type], `${type} may not require more than it did`).toEqual(
        expect.arrayContaining(required),
      );
    }
  });
});

/** The fields that every variant of a schema requires. */
function requiredFields(schema: Readonly<Record<string, unknown>>): string[] {
  const variants = (schema["oneOf"] ?? schema["anyOf"] ?? [schema]) as { required?: string[] }[];
  return variants.flatMap(({ required = [] }) => required);
}

describe("a context item with one optional field at fault", () => {
  const item = { role: "user", content: "hi" };
  const { properties } = payloadJsonSchema("agents/context-added") as { properties: Record<string, unknown> };
  const optional = Object.keys(properties).filter(
    (name) => !["role", "content", "key", "llmRequestOffset"].includes(name),
  );

  it("is looked for among all fields that there are", () => {
    expect(optional).toEqual(expect.arrayContaining(["actor", "origin", "compaction", "truncated"]));
  });

  it.each(optional)("never keeps %s as it is", (name) => {
    // No field's type.
    const payload = { ...item, [name]: -1.5 };
    for (const further of [{}, { key: "a" }, { llmRequestOffset: 3 }]) {
      const parsed = added({ ...payload, ...further });
      if (parsed.kind !== "known") continue;
      expect(parsed.event.payload).not.toHaveProperty(name, -1.5);
    }
    expect(added(item)).toMatchObject({ kind: "known", event: { payload: item } });
  });
});
