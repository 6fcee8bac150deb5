import { isCompaction, parseEvent } from "@promptfold/contract";
import { type AgentState, contextItems, foldEvent, initialState } from "@promptfold/fold";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { executionIdOf, replyOffsetOf } from "../scripts/execution-id.ts";
import { chooseBoundary } from "./choose-boundary.ts";

/** An agent's life, written step by step as the runtime and the script worker would. */
class Life {
  state: AgentState = initialState;
  /** The newest request that succeeded: its offset, its state and its reply's offset. */
  sent: { readonly offset: number; readonly state: AgentState; readonly reply: number } | undefined;
  readonly unread = new Set<number>();
  readonly running = new Set<string>();
  readonly unreported = new Set<string>();
  #offset = 0;
  /** The newest request that opened. */
  #opened = 0;

  constructor() {
    this.add("agent/created", {});
    this.add("agents/context-added", { role: "system", content: "You help.", key: "identity" });
  }

  add(type: string, payload: object, trust: "inside" | "outside" = "inside"): number {
    const offset = ++this.#offset;
    const source = { processor: "test", trust };
    const parsed = parseEvent({ offset, type, payload, source, createdAt: "2026-03-02T09:00:00.000Z" });
    if (parsed.kind !== "known") throw new Error(`${type} is ${parsed.kind}`);
    this.state = foldEvent(this.state, parsed.event);
    return offset;
  }

  say(): number {
    return this.add("agents/context-added", { role: "user", content: "hi" });
  }

  /** A request and its reply; `during` happens while the model writes. */
  turn(during: () => void = () => undefined): number {
    const offset = this.open();
    const { state } = this;
    during();
    const reply = this.add("agents/context-added", {
      role: "assistant",
      content: "hm",
      llmRequestOffset: offset,
    });
    this.add("agent/llm-request-settled", { requestOffset: offset, result: { status: "succeeded" } });
    this.sent = { offset, state, reply };
    this.unread.add(reply);
    return reply;
  }

  /** A request that fails. */
  fail(): void {
    const requestOffset = this.open();
    const result = { status: "failed" };
    this.add("agent/llm-request-settled", { requestOffset, result });
  }

  open(): number {
    if (this.state.pendingTrigger === null) this.say();
    // A reply is read before the second request after it opens.
    for (const reply of this.unread) if (reply < this.#opened) this.request(reply);
    return (this.#opened = this.add("agent/llm-request-requested", { model: "m" }));
  }

  request(reply: number): void {
    this.unread.delete(reply);
    const executionId = executionIdOf(reply);
    this.add("capability-host/script-run-requested", { executionId, code: "1" });
    this.running.add(executionId);
  }

  settle(executionId: string): void {
    this.running.delete(executionId);
    const settlement = { status: "succeeded", result: 1 };
    this.add("capability-host/script-run-settled", { executionId, settlement });
    this.unreported.add(executionId);
  }

  report(executionId: string): void {
    this.unreported.delete(executionId);
    const actor = { type: "script", executionId };
    this.add("agents/context-added", { role: "developer", content: "1", actor });
  }

  finish(): void {
    for (const reply of this.unread) this.request(reply);
    for (const executionId of this.running) this.settle(executionId);
    for (const executionId of this.unreported) this.report(executionId);
  }

  boundary(): number | undefined {
    if (this.sent === undefined) return undefined;
    return chooseBoundary({ sent: this.sent.state, now: this.state, unreported: this.unreported });
  }

  /** Puts a summary in the place of history; gives the boundary. */
  compact(): number | undefined {
    const through = this.boundary();
    if (through !== undefined) {
      const compaction = { replacesHistoryThrough: through };
      this.add("agents/context-added", { role: "developer", content: "so far", compaction });
    }
    return through;
  }

  /** Summaries that stand in the context. */
  summaries(): number {
    return contextItems(this.state).filter((item) => item.kind === "message" && isCompaction(item.payload))
      .length;
  }

  /** Replies whose script has run, of which only one half is in the context. */
  parted(): number[] {
    const items = contextItems(this.state).filter((item) => item.kind === "message");
    const replies = new Set(
      items.filter(({ payload }) => payload.llmRequestOffset !== undefined).map(({ offset }) => offset),
    );
    const results = items.map(({ payload }) => replyOffsetOf(payload.actor?.["executionId"]));
    return results.filter((reply) => reply !== undefined && !replies.has(reply)) as number[];
  }
}

function run(life: Life, reply: number): void {
  life.request(reply);
  life.settle(executionIdOf(reply));
  life.report(executionIdOf(reply));
}

describe("the boundary", () => {
  it("is the request when all it sent is done", () => {
    const life = new Life();
    run(life, life.turn());
    life.turn();
    expect(life.boundary()).toBe(life.sent?.offset);
  });

  it("is before the newest reply when its result was not sent, since nobody may have read it", () => {
    const life = new Life();
    const first = life.turn();
    life.turn();
    expect(life.boundary()).toBe(first - 1);
  });

  it.each<[string, (life: Life, reply: number) => void]>([
    [
      "runs",
      (life, reply) => {
        life.request(reply);
      },
    ],
    [
      "has ended and is not reported",
      (life, reply) => {
        life.request(reply);
        life.settle(executionIdOf(reply));
      },
    ],
    ["has a result that came during the call", run],
  ])("is before a reply whose script %s", (_, happens) => {
    const life = new Life();
    run(life, life.turn());
    const slow = life.turn();
    life.unread.delete(slow);
    run(life, life.turn());
    life.turn(() => {
      happens(life, slow);
    });
    expect(life.boundary()).toBe(slow - 1);
  });

  it("is nowhere when only a summary would be replaced", () => {
    const life = new Life();
    run(life, life.turn());
    life.turn();
    expect(life.compact()).toBeDefined();
    expect(life.boundary()).toBeUndefined();
  });

  it("reaches what came from outside as a system message, since the fold takes it for history", () => {
    const life = new Life();
    life.say();
    life.add("agents/context-rewritten", { op: "delete", key: "*" });
    life.add("agents/context-added", { role: "system", content: "a feed" }, "outside");
    const offset = life.add("agent/llm-request-requested", { model: "m" });
    expect(chooseBoundary({ sent: life.state, now: life.state, unreported: [] })).toBe(offset);
  });

  it("is nowhere when an earlier summary would stay behind the new one", () => {
    const life = new Life();
    const first = life.turn();
    const second = life.turn();
    expect(life.compact()).toBe(first - 1);
    life.unread.delete(first);
    const third = life.turn();
    expect(life.boundary()).toBeUndefined();
    run(life, second);
    run(life, third);
    life.turn();
    expect(life.compact()).toBeDefined();
    expect(life.summaries()).toBe(1);
  });

  it("is the request once another one failed since: what was replied before both has been read", () => {
    const life = new Life();
    run(life, life.turn());
    const second = life.turn();
    expect(life.compact()).toBeDefined();
    life.turn();
    expect(life.boundary()).toBeUndefined();
    life.unread.delete(second);
    life.fail();
    expect(life.boundary()).toBe(life.sent?.offset);
  });

  it("never parts a reply from its script's result, nor leaves two summaries, whatever happens when", () => {
    const step = fc.constantFrom("say", "turn", "fail", "request", "settle", "report", "compact");
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const life = new Life();
        const take = (name: string): void => {
          const [reply] = life.unread;
          const [running] = life.running;
          const [unreported] = life.unreported;
          if (name === "say") life.say();
          else if (name === "request" && reply !== undefined) life.request(reply);
          else if (name === "settle" && running !== undefined) life.settle(running);
          else if (name === "report" && unreported !== undefined) life.report(unreported);
          else if (name === "compact") life.compact();
          else if (name === "fail") life.fail();
          expect(life.summaries()).toBeLessThan(2);
        };
        for (let at = 0; at < steps.length; at++) {
          // The step after a turn happens while the model writes.
          if (steps[at] === "turn")
            life.turn(() => {
              const step = steps[++at] ?? "";
              if (step !== "fail") take(step);
            });
          else take(steps[at] ?? "");
        }
        life.compact();
        life.finish();
        expect(life.parted()).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});
