import { parseEvent, type StoredEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { mappingIds, renderRequest, RequestWriter } from "@promptfold/renderer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventStreams } from "./event-streams.ts";

const numRuns = Number(process.env["PROMPTFOLD_LAW_RUNS"] ?? 1000);
const decoder = new TextDecoder("utf-8", { fatal: true });

function configured(config: object): StoredEvent {
  return { offset: 0, type: "agent/configured", payload: { config }, createdAt: "2026-03-02T08:00:00.000Z" };
}

/** Events with changes of mapping, model and limits strewn among them, so that the writer has to begin again. */
const changingStreams = fc
  .tuple(
    eventStreams,
    fc.array(
      fc.record({
        at: fc.nat(60),
        config: fc.oneof(
          fc.record({ mapping: fc.constantFrom(...mappingIds) }),
          fc.record({ model: fc.constantFrom("gpt-5.6", "claude-opus-5", "m".repeat(2000)) }),
          fc.record({
            parameters: fc.record({ maxOutputTokens: fc.nat(9), cacheTtl: fc.constantFrom("1h", "5m") }),
          }),
        ),
      }),
      { maxLength: 3 },
    ),
  )
  .map(([events, changes]) => {
    const all = [...events];
    for (const { at, config } of changes) all.splice(at % (all.length + 1), 0, configured(config));
    return all;
  });

describe("RequestWriter", () => {
  it("writes the bytes of a full render after every event, under every mapping", () => {
    fc.assert(
      fc.property(
        changingStreams,
        fc.constantFrom(...mappingIds, undefined),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(),
        (events, mapping, every, cut) => {
          const options = { mapping, stream: "/agents/a" };
          const start = cut % events.length;
          const from = foldEvents(events.slice(0, start)).state;
          const writers = [new RequestWriter(options), new RequestWriter({ ...options, from })];
          events.forEach((stored, index) => {
            const parsed = parseEvent(stored);
            if (parsed.kind !== "known") return;
            for (const writer of index < start ? writers.slice(0, 1) : writers) {
              writer.add(parsed.event);
              if (index % every !== 0) continue;
              const full = renderRequest(writer.state, options);
              const written = writer.write();
              expect(decoder.decode(written.bytes)).toBe(JSON.stringify(full.body));
              expect(written.marks).toEqual(full.marks);
              expect(written.blocks).toEqual(full.blocks);
            }
          });
        },
      ),
      { numRuns },
    );
  }, 600_000);
});
