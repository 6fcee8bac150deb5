import { readFileSync } from "node:fs";
import type { StoredEvent } from "@promptfold/contract";
import { describe, expect, it } from "vitest";
import { foldEvents, planTurn } from "./index.ts";

interface TurnCase {
  readonly name: string;
  readonly rule: string;
  readonly events: readonly StoredEvent[];
  readonly expect: {
    readonly state: Record<string, unknown>;
    readonly nextAppends: readonly (Record<string, unknown> & { expiresAt?: string; payload?: object })[];
  };
}

const cases = JSON.parse(
  readFileSync(new URL("../vectors/turnloop.json", import.meta.url), "utf8"),
) as readonly TurnCase[];

describe("the turn loop's vectors", () => {
  it.each(cases)("$name: $rule", ({ events, expect: expected }) => {
    const { state } = foldEvents(events);
    const trigger = state.pendingTrigger;
    expect({
      pendingTrigger: trigger === null ? null : { offset: trigger.offset, source: trigger.source },
      openRequest: state.openRequest?.offset ?? null,
      paused: state.paused,
      autonomousTurnCount: state.autonomousTurnCount,
      consecutiveLlmFailures: state.consecutiveLlmFailures,
    }).toEqual(expected.state);

    const planned = planTurn(state);
    expect(planned).toHaveLength(expected.nextAppends.length);
    expected.nextAppends.forEach(({ expiresAt, payload, ...append }, index) => {
      expect(planned[index]).toMatchObject(append);
      expect(planned[index]?.dueAt).toBe(append["dueAt"]);
      expect(planned[index]?.payload).toMatchObject({ ...payload, ...(expiresAt ? { expiresAt } : {}) });
    });
  });
});

function event(offset: number, type: string, payload: unknown): StoredEvent {
  return { offset, type, payload, createdAt: `2026-03-02T09:00:0${offset}.000Z` };
}

describe("planTurn", () => {
  it("plans nothing for a paused agent's own trigger: the request would be guarded and its key used up", () => {
    const { state } = foldEvents([
      event(1, "agent/created", {}),
      event(2, "agent/paused", {}),
      event(3, "agents/context-added", { role: "developer", content: "a result" }),
    ]);
    expect(state.pendingTrigger).toMatchObject({ offset: 3, source: "agent-loop" });
    expect(planTurn(state)).toEqual([]);
  });

  it("gives a resumed trigger a new request key", () => {
    const { state } = foldEvents([
      event(1, "agent/created", {}),
      event(2, "agent/paused", {}),
      event(3, "agents/context-added", { role: "user", content: "hello" }),
      event(4, "agent/llm-request-requested", { model: "m" }),
      event(5, "agent/resumed", {}),
    ]);
    expect(planTurn(state)).toMatchObject([
      { idempotencyKey: "request/5", dueAt: "2026-03-02T09:00:05.250Z" },
    ]);
  });

  it("does not depend on a configuration value that does not fit", () => {
    const configured = foldEvents([
      event(1, "agent/created", {}),
      event(2, "agent/configured", { config: { llmRequestDebounceMs: "soon", model: 7 } }),
      event(3, "agents/context-added", { role: "user", content: "hello" }),
    ]).state;
    expect(planTurn(configured)).toMatchObject([
      {
        dueAt: "2026-03-02T09:00:03.250Z",
        payload: { model: "default", mapping: "openai-chat@1", protocol: "1" },
      },
    ]);
  });

  it("holds a turn whose debounce goes beyond the calendar, instead of opening it at once", () => {
    const { state } = foldEvents([
      event(1, "agent/created", {}),
      event(2, "agent/configured", { config: { llmRequestDebounceMs: 9_000_000_000_000_000 } }),
      event(3, "agents/context-added", { role: "user", content: "hello" }),
    ]);
    expect(planTurn(state)).toMatchObject([{ dueAt: "+275760-09-13T00:00:00.000Z" }]);
  });

  it("does not take a summary for a trigger, whatever role it claims", () => {
    const summary = { role: "user", content: "S", compaction: { replacesHistoryThrough: 1 } };
    const { state } = foldEvents([event(1, "agent/created", {}), event(2, "agents/context-added", summary)]);
    expect(planTurn(state)).toEqual([]);
  });
});
