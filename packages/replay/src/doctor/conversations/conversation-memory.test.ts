import { describe, expect, it } from "vitest";
import { BodyDoctor, type Diagnosis } from "../../index.ts";
import { apis, type Turn } from "../testing/api-bodies.ts";

const words = (text: string): number => text.split(/\s+/).length;

function diagnose(bodies: Iterable<object>): Diagnosis {
  const doctor = new BodyDoctor({ countTokens: words, minimumTokens: 0 });
  for (const body of bodies) doctor.add(body);
  return doctor.diagnosis;
}

/** All conversations, one turn of each after the other. */
function* byTurns(count: number, requests: number, body: (name: number, request: number) => object) {
  for (let request = 0; request < requests; request++)
    for (let name = 0; name < count; name++) yield body(name, request);
}

function turnsOf(name: number, request: number, text = ""): Turn[] {
  return Array.from({ length: 1 + 2 * request }, (_, index): Turn => [
    index % 2 === 0 ? "user" : "assistant",
    `conversation ${name} says ${index} ${text}`,
  ]);
}

describe("conversations that go on by turns", () => {
  it.each([16, 17, 100, 1000])("are told apart when there are %i", (count) => {
    const bodies = byTurns(count, 3, (name, request) => apis.openai({ turns: turnsOf(name, request) }));
    expect(diagnose(bodies)).toMatchObject({
      bodies: count * 3,
      conversations: count,
      breaks: [],
      notes: [],
    });
  });

  it("have their breaks found, when there are 500", () => {
    const bodies = byTurns(500, 3, (name, request) =>
      apis.openai({ system: `It is 10:0${request}. Be kind.`, turns: turnsOf(name, request) }),
    );
    const { conversations, breaks } = diagnose(bodies);
    expect(conversations).toBe(500);
    expect(breaks).toHaveLength(1000);
    expect(breaks.every(({ cause, body, previous }) => cause === "clock" && body - previous === 500)).toBe(
      true,
    );
  });

  it("have a rewritten answer found, when there are 200", () => {
    const bodies = byTurns(200, 3, (name, request) => {
      const turns = turnsOf(name, request);
      return apis.openai({
        turns: name === 7 && request === 2 ? turns.with(1, ["assistant", "[cleared]"]) : turns,
      });
    });
    expect(diagnose(bodies)).toMatchObject({
      conversations: 200,
      breaks: [{ body: 407, previous: 207, cause: "history-rewritten" }],
    });
  });

  it("are found again where they stood when there is too much to hold, and that is told", () => {
    const text = "x".repeat(300_000);
    const bodies = byTurns(60, 2, (name, request) => apis.openai({ turns: turnsOf(name, request, text) }));
    const { conversations, breaks, notes } = diagnose(bodies);
    expect({ conversations, breaks }).toEqual({ conversations: 60, breaks: [] });
    expect(notes).toMatchObject([{ kind: "memory-full", isFault: false }]);
    expect(notes[0]?.detail).toContain("a break in one counts as a new conversation");
  });
});
