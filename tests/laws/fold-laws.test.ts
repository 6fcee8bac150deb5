import { parseEvent, type StoredEvent } from "@promptfold/contract";
import {
  contextItems,
  foldEvent,
  foldEvents,
  initialState,
  loadState,
  planTurn,
  saveState,
} from "@promptfold/fold";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Coverage, sampleOf } from "./coverage.ts";
import { eventStreams } from "./event-streams.ts";
import { foldBranches, noteBranches } from "./fold-branches.ts";

const runs = { numRuns: 1000 };
const streamWithCut = eventStreams.chain((events) =>
  fc.record({ events: fc.constant(events), cut: fc.nat(events.length) }),
);

function bytes(state: Parameters<typeof saveState>[0]): string {
  return JSON.stringify(saveState(state));
}

function fold(events: readonly StoredEvent[]) {
  return foldEvents(events).state;
}

it("streams reach every branch of the fold", () => {
  const coverage = new Coverage(foldBranches);
  for (const events of sampleOf(eventStreams)) noteBranches(events, coverage);
  expect(coverage.missing).toEqual([]);
});

describe("the laws of the fold", () => {
  it("continues: folding a whole is folding a part and then the rest", () => {
    fc.assert(
      fc.property(streamWithCut, ({ events, cut }) => {
        const part = fold(events.slice(0, cut));
        const continued = foldEvents(events.slice(cut), { from: part }).state;
        expect(bytes(continued)).toBe(bytes(fold(events)));
      }),
      runs,
    );
  });

  it("folds a batch as it folds its events one at a time, and leaves the state that it began with", () => {
    fc.assert(
      fc.property(streamWithCut, ({ events, cut }) => {
        const part = fold(events.slice(0, cut));
        const before = bytes(part);
        let state = part;
        for (const stored of events.slice(cut)) {
          const parsed = parseEvent(stored);
          if (parsed.kind === "known") state = foldEvent(state, parsed.event);
        }
        const batch = foldEvents(events.slice(cut), { from: part }).state;
        expect(bytes(batch)).toBe(bytes(state));
        expect(Object.keys(batch)).toEqual(Object.keys(state));
        expect(bytes(part)).toBe(before);
      }),
      runs,
    );
  });

  it("is pinned by `through`: later events change nothing before them", () => {
    fc.assert(
      fc.property(streamWithCut, ({ events, cut }) => {
        const pinned = foldEvents(events, { through: cut }).state;
        expect(bytes(pinned)).toBe(bytes(fold(events.slice(0, cut))));
      }),
      runs,
    );
  });

  it("saves and restores: a restored state has the same bytes, and folds and plans on the same", () => {
    fc.assert(
      fc.property(streamWithCut, ({ events, cut }) => {
        const part = fold(events.slice(0, cut));
        const restored = loadState(JSON.parse(bytes(part)));
        expect(bytes(restored)).toBe(bytes(part));
        expect(planTurn(restored)).toEqual(planTurn(part));
        expect(bytes(foldEvents(events.slice(cut), { from: restored }).state)).toBe(bytes(fold(events)));
      }),
      runs,
    );
  });

  it("never changes a returned state, even when two futures grow from it", () => {
    fc.assert(
      fc.property(eventStreams, eventStreams, (events, others) => {
        const states = [initialState];
        const seen = [bytes(initialState)];
        for (const stored of events) {
          const parsed = parseEvent(stored);
          const previous = states.at(-1) ?? initialState;
          const state = parsed.kind === "known" ? foldEvent(previous, parsed.event) : previous;
          states.push(state);
          seen.push(bytes(state));
        }
        for (const state of states) foldEvents(others, { from: state });
        expect(states.map(bytes)).toEqual(seen);
      }),
      { numRuns: 1000 },
    );
  });

  it("reads no clock and no randomness", () => {
    const now = Date.now;
    const random = Math.random;
    fc.assert(
      fc.property(eventStreams, (events) => {
        const first = bytes(fold(events));
        try {
          Date.now = () => now() + 86_400_000;
          Math.random = () => 0.5;
          expect(bytes(fold(events))).toBe(first);
        } finally {
          Date.now = now;
          Math.random = random;
        }
      }),
      runs,
    );
  });

  it("keeps one latest occurrence per key, and items unique by offset", () => {
    fc.assert(
      fc.property(eventStreams, (events) => {
        const state = fold(events);
        const offsets = contextItems(state).map(({ offset }) => offset);
        expect(new Set(offsets).size).toBe(offsets.length);
        const latest = new Map<string, number>();
        contextItems(state).forEach((item, position) => {
          if (item.kind === "section") latest.set(item.key, position);
        });
        expect(new Map(state.latestPositions)).toEqual(latest);
      }),
      runs,
    );
  });
});
