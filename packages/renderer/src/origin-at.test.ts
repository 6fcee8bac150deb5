import type { StoredEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { serializeSections } from "@promptfold/parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mappingIds, originAt, renderMessages, renderRequest, RequestWriter, verifyPrefix } from "./index.ts";

function stream(...entries: readonly (readonly [type: string, payload: object])[]): StoredEvent[] {
  return entries.map(([type, payload], index) => ({
    offset: index + 1,
    type,
    payload,
    createdAt: `2026-03-02T09:00:${String(index).padStart(2, "0")}.000Z`,
  }));
}

const section = (key: string, content: string, role = "system") =>
  ["agents/context-added", { role, key, content }] as const;
const question = (content: string) => ["agents/context-added", { role: "user", content }] as const;
const rewrite = (payload: object) => ["agents/context-rewritten", payload] as const;
const request = ["agent/llm-request-requested", { model: "m" }] as const;
const settled = (requestOffset: number) =>
  ["agent/llm-request-settled", { requestOffset, result: { status: "succeeded" } }] as const;

/** Three sections, a request @5 and an update @7, then a rewrite @8 and a request @10. */
const rewritten = (payload: object): StoredEvent[] =>
  stream(
    section("a", "AAA"),
    section("b", "BBB"),
    section("c", "CCC"),
    question("x"),
    request,
    settled(5),
    section("d", "DDD"),
    rewrite(payload),
    question("y"),
    request,
  );

describe.each(mappingIds)("where %s's prefix breaks", (mapping) => {
  function breakOf(events: readonly StoredEvent[], earlier: number, later: number) {
    const [before, after] = [earlier, later].map((through) =>
      renderRequest(foldEvents(events, { through }).state, { mapping }),
    );
    return verifyPrefix(before?.body, after?.body, {
      previousBlocks: before?.blocks,
      nextBlocks: after?.blocks,
    }).break;
  }

  it("names the section of the standing document that the differing character lies in", () => {
    expect(breakOf(rewritten({ op: "replace", key: "b", content: "B2" }), 5, 10)).toMatchObject({
      previousOrigin: { kind: "section", offset: 2, key: "b" },
      nextOrigin: { kind: "section", offset: 8, key: "b" },
    });
    expect(breakOf(rewritten({ op: "delete", key: "b" }), 5, 10)).toMatchObject({
      previousOrigin: { kind: "section", offset: 2, key: "b" },
      nextOrigin: { kind: "section", offset: 3, key: "c" },
    });
    expect(breakOf(rewritten({ op: "delete", key: "a" }), 5, 10)).toMatchObject({
      previousOrigin: { kind: "section", offset: 1, key: "a" },
      nextOrigin: { kind: "section", offset: 2, key: "b" },
    });
  });

  it("names nothing where the standing document ends early", () => {
    expect(breakOf(rewritten({ op: "delete", key: "c" }), 5, 10)).toMatchObject({
      previousOrigin: { kind: "section", offset: 3, key: "c" },
      nextOrigin: undefined,
    });
  });

  it("names a section of the timeline with its key", () => {
    const events = stream(
      question("x"),
      request,
      settled(2),
      section("d", "DDD", "developer"),
      question("y"),
      request,
      settled(6),
      rewrite({ op: "replace", key: "d", content: "D2" }),
      question("z"),
      request,
    );
    expect(breakOf(events, 6, 10)).toMatchObject({
      previousOrigin: { kind: "section", offset: 4, key: "d" },
      nextOrigin: { kind: "section", offset: 8, key: "d" },
    });
  });

  it("has the same origins in what is written as bytes", () => {
    const { state } = foldEvents(rewritten({ op: "delete", key: "b" }));
    const { blocks } = new RequestWriter({ from: state, mapping }).write();
    expect(blocks).toEqual(renderRequest(state, { mapping }).blocks);
  });

  it("finds every section's own text, whatever stands in it", () => {
    const content = fc.string({
      unit: fc.constantFrom("a", "\n", "<section ", "</section>", "🌱"),
    });
    const keys = fc.uniqueArray(fc.string({ unit: fc.constantFrom("k", "_", "é"), minLength: 1 }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(
        keys.chain((each) => fc.tuple(...each.map((key) => fc.tuple(fc.constant(key), content)))),
        (sections) => {
          const { state } = foldEvents(stream(...sections.map(([key, text]) => section(key, text))));
          const texts = new Map<string, string>();
          for (const block of renderRequest(state, { mapping }).blocks) {
            for (let at = 0; at < block.text.length; at++) {
              const origin = originAt(block, at);
              if (origin?.key === undefined) continue;
              texts.set(origin.key, (texts.get(origin.key) ?? "") + (block.text[at] ?? ""));
            }
          }
          const own = sections.map(([key, text]): [string, string] => [
            key,
            serializeSections([{ key, content: text }]),
          ]);
          expect([...texts].map(([key, text]) => [key, text.replace(/^\n\n/, "")])).toEqual(own);
          expect(renderMessages(state)[1]?.content).toBe(
            serializeSections(sections.map(([key, text]) => ({ key, content: text }))),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("originAt", () => {
  it("knows of a block what it says of itself", () => {
    expect(originAt(undefined, 0)).toBeUndefined();
    expect(originAt({}, 0)).toBeUndefined();
    expect(originAt({ from: { kind: "message", offset: 3 } }, 7)).toEqual({ kind: "message", offset: 3 });
  });
});
