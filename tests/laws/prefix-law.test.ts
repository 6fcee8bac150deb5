import { contextItems, loadState, saveState } from "@promptfold/fold";
import { mappingIds, renderMessages, renderRequest } from "@promptfold/renderer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventStreams } from "./event-streams.ts";
import { requestRuns } from "./mapping-request-runs.ts";

describe("the prefix law", () => {
  it("the messages of a request are a prefix of the next one's", () => {
    fc.assert(
      fc.property(eventStreams, (events) => {
        for (const run of requestRuns(events)) {
          const rendered = run.map((state) => renderMessages(state));
          rendered.slice(1).forEach((messages, index) => {
            const earlier = rendered[index] ?? [];
            expect(messages.slice(0, earlier.length)).toEqual(earlier);
          });
        }
      }),
      { numRuns: 1000 },
    );
  });

  it.each(mappingIds)(
    "what the model reads of an %s body is a prefix of the next one's, byte for byte",
    (mapping) => {
      fc.assert(
        fc.property(eventStreams, (events) => {
          for (const run of requestRuns(events)) {
            const texts = run.map((state) =>
              JSON.stringify(renderRequest(state, { mapping, protocol: "1" }).blocks),
            );
            texts.slice(1).forEach((text, index) => {
              const earlier = (texts[index] ?? "").slice(0, -1);
              expect(text.startsWith(earlier)).toBe(true);
            });
          }
        }),
        { numRuns: 1000 },
      );
    },
  );

  it("a restored state renders to the same bytes", () => {
    fc.assert(
      fc.property(eventStreams, (events) => {
        for (const state of requestRuns(events).flat()) {
          const restored = loadState(JSON.parse(JSON.stringify(saveState(state))));
          expect(JSON.stringify(renderMessages(restored))).toBe(JSON.stringify(renderMessages(state)));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("no content creates a section: tags in a rendered request are those of its sections", () => {
    fc.assert(
      fc.property(eventStreams, (events) => {
        for (const state of requestRuns(events).flat()) {
          const trusted = renderMessages(state).filter(
            ({ from }) => from.kind === "standing-document" || from.kind === "section",
          );
          const tags = trusted.flatMap(
            ({ content }) => content.match(/<section[\s/>]|<\/section\s*>/g) ?? [],
          );
          const sections = contextItems(state).filter(({ kind }) => kind === "section");
          expect(tags).toHaveLength(2 * sections.length);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
