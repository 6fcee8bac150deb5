import { type ContextItem, CONTEXT_ADDED, payloadSchemas } from "@promptfold/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DuplicateSectionKeyError, InvalidSectionKeyError } from "./errors.ts";
import { hashJson } from "./hash-json.ts";
import { sectionEvents } from "./section-events.ts";
import { updateEvents } from "./update-events.ts";

const origin = { file: "prompts/p.md", line: 3, hash: "0123456789abcdef" };
const sections = [
  { key: "identity", content: "You are …", origin },
  { key: "a:b", content: "" },
];

describe("sectionEvents", () => {
  it("gives one keyed event per section in order, with origin where it is known", () => {
    const events = sectionEvents(sections, { base: "birth" });
    expect(events.map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: CONTEXT_ADDED, payload: { role: "system", content: "You are …", key: "identity", origin } },
      { type: CONTEXT_ADDED, payload: { role: "system", content: "", key: "a:b" } },
    ]);
    for (const { payload } of events) {
      expect(payloadSchemas[CONTEXT_ADDED].parse(payload)).toEqual(payload);
    }
    const [first, second] = events.map((event) => event.idempotencyKey);
    const hash = hashJson(events.map((event) => event.payload));
    expect(hash).toMatch(/^[0-9a-f]{12,}$/);
    expect(first).toBe(`birth/${hash}:0:identity`);
    expect(second).toBe(`birth/${hash}:1:a:b`);
  });

  it("takes another role", () => {
    expect(sectionEvents(sections, { base: "b", role: "developer" })[0]?.payload.role).toBe("developer");
  });

  it("gives the same keys for the same batch and others for any change", () => {
    const keys = (list: { key: string; content: string }[], role?: "developer") =>
      sectionEvents(list, { base: "b", ...(role ? { role } : {}) }).map((event) => event.idempotencyKey);
    const list = fc.uniqueArray(
      fc.record({ key: fc.constantFrom("a", "b", "c", "d"), content: fc.string() }),
      {
        selector: (section) => section.key,
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(list, fc.nat(), fc.string(), (before, at, content) => {
        const index = at % before.length;
        const after = before.map((section, i) => (i === index ? { ...section, content } : section));
        const first = keys(before);
        const all = new Set(first);
        expect(keys(structuredClone(before))).toEqual(first);
        expect(all.size).toBe(before.length);
        expect(keys(before, "developer")).not.toEqual(first);
        if (content === before[index]?.content) return;
        expect(keys(after).filter((key) => all.has(key))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it("refuses a key that occurs twice or may not name a section", () => {
    const twice = [...sections, { key: "identity", content: "x" }];
    expect(() => sectionEvents(twice, { base: "b" })).toThrow(DuplicateSectionKeyError);
    expect(() => sectionEvents(twice, { base: "b" })).toThrow(
      'the section at prompts/p.md:3 and section 2 (counted from 0) both have the key "identity"',
    );
    expect(() => sectionEvents([{ key: "*", content: "x" }], { base: "b" })).toThrow(InvalidSectionKeyError);
  });
});

function item(
  offset: number,
  key: string,
  content: string,
  role: "system" | "developer" = "system",
): ContextItem {
  return { kind: "section", offset, key, payload: { role, content, key } };
}

describe("updateEvents", () => {
  const current: ContextItem[] = [
    item(2, "identity", "old"),
    item(3, "rules", "R"),
    { kind: "message", offset: 4, payload: { role: "user", content: "hi" } },
    { kind: "request", offset: 5, requestedAt: "2026-01-01T00:00:00.000Z" },
    item(6, "identity", "new"),
  ];

  it("gives only what differs in role or content from the key's latest occurrence", () => {
    const keys = (list: { key: string; content: string }[], role?: "developer") =>
      updateEvents(list, current, { base: "w", ...(role ? { role } : {}) }).map((event) => event.payload.key);
    expect(keys([{ key: "identity", content: "new" }])).toEqual([]);
    expect(keys([{ key: "identity", content: "old" }])).toEqual(["identity"]);
    expect(keys([{ key: "rules", content: "R" }], "developer")).toEqual(["rules"]);
    expect(
      keys([
        { key: "identity", content: "new" },
        { key: "other", content: "O" },
        { key: "rules", content: "R2" },
      ]),
    ).toEqual(["other", "rules"]);
  });

  it("names the latest occurrence in its keys, so a text that returns is a new fact", () => {
    const update = (items: ContextItem[]) =>
      updateEvents([{ key: "identity", content: "old" }], items, { base: "w" })[0]?.idempotencyKey;
    const hash = hashJson([{ role: "system", content: "old", key: "identity" }]);
    expect(update(current)).toBe(`w/after-6/${hash}:0:identity`);
    expect(update([...current, item(9, "identity", "newer")])).toBe(`w/after-9/${hash}:0:identity`);
    expect(update([])).toBe(`w/after-0/${hash}:0:identity`);
  });

  it("does not resend a section whose origin alone changed", () => {
    expect(updateEvents([{ key: "rules", content: "R", origin }], current, { base: "w" })).toEqual([]);
  });

  it("takes a key named like a prototype member for any other key", () => {
    const list = [
      { key: "__proto__", content: "p" },
      { key: "constructor", content: "c" },
    ];
    expect(updateEvents(list, [], { base: "w" })).toHaveLength(2);
    expect(
      updateEvents(list, [item(1, "__proto__", "p"), item(2, "constructor", "c")], { base: "w" }),
    ).toEqual([]);
  });

  it("refuses a key that occurs twice", () => {
    const twice = [
      { key: "rules", content: "1" },
      { key: "rules", content: "2" },
    ];
    expect(() => updateEvents(twice, current, { base: "w" })).toThrow(DuplicateSectionKeyError);
  });
});

describe("hashJson", () => {
  it("does not depend on the order of keys", () => {
    expect(hashJson([{ a: 1, b: { d: [2], c: null } }])).toBe(hashJson([{ b: { c: null, d: [2] }, a: 1 }]));
    expect(hashJson([{ a: 1 }])).not.toBe(hashJson([{ a: 2 }]));
  });

  it("tells lone surrogates apart", () => {
    expect(hashJson("\ud800")).not.toBe(hashJson("\ud801"));
  });
});
