import { LLM_REQUEST_SETTLED, type StoredEvent } from "@promptfold/contract";
import { type AgentState, contextItems } from "@promptfold/fold";
import {
  labelText,
  mappingIds,
  readBody,
  readLabel,
  type RenderedRequest,
  renderRequest,
  verifyPrefix,
} from "@promptfold/renderer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Coverage, sampleOf } from "./coverage.ts";
import { eventStreams } from "./event-streams.ts";
import { judges, readByProtocol } from "./mapping-legality.ts";
import { requestRuns } from "./mapping-request-runs.ts";

// PROMPTFOLD_LAW_RUNS=10000 asks for the long run.
const numRuns = Number(process.env["PROMPTFOLD_LAW_RUNS"] ?? 1000);

/** Models on which a mapping may write other bodies. */
const models: Readonly<Record<string, readonly string[]>> = {
  "openai-chat@2": ["gpt-5.6", "gpt-5"],
  "openai-responses@1": ["gpt-5.6", "gpt-5"],
  "anthropic-messages@1": ["claude-opus-4-8", "claude-sonnet-4-5"],
};

const situations = [
  "timeline begins with an assistant text",
  "request after a failed one",
  "request after an interrupted one",
  "request after a blank answer",
  "blank section",
  "after a compaction",
  "after a rewrite",
  "update of a sent section",
  "system message in the timeline",
  "user text with a label",
  "three requests in a row",
] as const;

function noteSituations(
  events: readonly StoredEvent[],
  coverage: Coverage<(typeof situations)[number]>,
): void {
  const runs = requestRuns(events);
  const states = runs.flat();
  coverage.hit(
    "after a compaction",
    runs.some((run, index) => index > 0 && run.some(hasSummary)),
  );
  coverage.hit(
    "after a rewrite",
    events.some(({ type }) => type.endsWith("context-rewritten")) && runs.length > 1,
  );
  coverage.hit(
    "three requests in a row",
    runs.some((run) => run.length >= 3),
  );
  for (const state of states) {
    const items = contextItems(state);
    const first = items.find(({ kind }) => kind === "message");
    coverage.hit(
      "timeline begins with an assistant text",
      first?.kind === "message" && first.payload.role === "assistant",
    );
    for (const item of items) {
      if (item.kind === "request") continue;
      coverage.hit("blank section", item.kind === "section" && item.payload.content.trim() === "");
      coverage.hit("update of a sent section", item.kind === "section" && item.supersedes !== undefined);
      coverage.hit(
        "system message in the timeline",
        item.kind === "message" && item.payload.role === "system",
      );
      coverage.hit(
        "user text with a label",
        item.kind === "message" && item.payload.content.startsWith("[[promptfold:"),
      );
      coverage.hit("request after a blank answer", isBlankAnswer(item));
    }
  }
  const opened = new Set(states.map((state) => state.openRequest?.offset));
  const statuses = events
    .filter(({ type }) => type === LLM_REQUEST_SETTLED)
    .map(({ payload }) => payload as { requestOffset: number; result: { status: string } })
    .filter(({ requestOffset }) => opened.has(requestOffset))
    .map(({ result }) => result.status);
  coverage.hit("request after a failed one", statuses.slice(0, -1).includes("failed"));
  coverage.hit("request after an interrupted one", statuses.slice(0, -1).includes("cancelled"));
}

function hasSummary(state: AgentState): boolean {
  return contextItems(state).some((item) => item.kind === "message" && item.payload.compaction !== undefined);
}

function isBlankAnswer(item: ReturnType<typeof contextItems>[number]): boolean {
  return (
    item.kind === "message" &&
    item.payload.llmRequestOffset !== undefined &&
    item.payload.content.trim() === ""
  );
}

/** Every message is there, once, at its place, under its role or a label; only standing text stands apart. */
function checkContent({ mapping: id, messages, body }: RenderedRequest): void {
  const pieces = judges[id]?.(body as Record<string, unknown>).pieces ?? [];
  const mapping = id.replace(/@.*$/, "");
  const usesLabels = mapping !== "openai-chat" && mapping !== "openai-responses";
  const isStanding = (kind: string): boolean => kind === "protocol" || kind === "standing-document";
  const standing = messages.filter(({ from }) => isStanding(from.kind));
  const isJoined = mapping === "openai-compatible";
  const lead = isJoined ? 1 : standing.length;
  const standingText = (isJoined ? standing.map(({ content }) => content).join("\n\n") : undefined) ?? "";
  pieces.slice(0, lead).forEach(({ role, text }, index) => {
    expect(role).toBe("system");
    const expected = isJoined ? standingText : (standing[index]?.content ?? "");
    // Mappings that label explain it right after the protocol's own text.
    if (usesLabels && index === 0) expect(text).toContain("[[promptfold:system]]");
    if (usesLabels && index === 0 && isJoined) {
      for (const { content } of standing) expect(text).toContain(content);
    } else if (usesLabels && index === 0) expect(text.startsWith(expected)).toBe(true);
    else expect(text).toBe(expected);
  });
  const hasField = mapping === "anthropic-messages" || mapping === "gemini" || mapping === "ai-sdk";
  expect(pieces.filter(({ apart }) => apart)).toHaveLength(hasField ? lead : 0);
  const timeline = pieces
    .slice(lead)
    .map(({ role, text }) => (usesLabels ? readByProtocol(role, text) : { role, text }));
  expect(timeline).toEqual(
    messages
      .slice(standing.length)
      .map(({ role, content }) => ({ role, text: content.replaceAll(/\p{Surrogate}/gu, "\ufffd") })),
  );
}

it("the lives are of every kind", () => {
  const coverage = new Coverage(situations);
  for (const events of sampleOf(eventStreams)) noteSituations(events, coverage);
  expect(coverage.missing).toEqual([]);
});

describe.each(mappingIds)("%s on random lives of an agent", (id) => {
  const judge = judges[id];

  it("is judged by rules of its own", () => {
    expect(judge).toBeDefined();
  });

  it.each(models[id] ?? ["test/model"])(
    "writes legal bodies for %s that drop nothing, hoist nothing and keep the prefix law",
    (model) => {
      fc.assert(
        fc.property(
          eventStreams,
          fc.constantFrom<unknown>(undefined, "1h"),
          fc.boolean(),
          (events, cacheTtl, thinks) => {
            for (const run of requestRuns(events)) {
              const parameters = { cacheTtl, ...(thinks ? { thinkingBudget: 500 } : {}) };
              const requests = run.map((state) =>
                renderRequest(state, { mapping: id, model, parameters, protocol: "1" }),
              );
              requests.forEach((request, index) => {
                expect(judge?.(request.body as Record<string, unknown>).faults).toEqual([]);
                checkContent(request);
                const read = readBody(request.body).blocks;
                expect(read.map(({ role, text }) => ({ role, text }))).toEqual(
                  request.blocks.map(({ role, text }) => ({ role, text })),
                );
                expect(read.flatMap(({ mark }, block) => (mark === undefined ? [] : [block]))).toEqual(
                  request.marks.map(({ block }) => block),
                );
                const previous = requests[index - 1];
                if (previous === undefined) return;
                const verdict = verifyPrefix(previous.body, request.body);
                expect(verdict.break).toBeUndefined();
                expect(verdict.keptMarks > 0).toBe(verdict.previousMarks > 0);
                // What the last request wrote to the cache up to its stamp, this one asks for at the same place.
                const stamp = previous.marks.find(({ reason }) => reason === "newest-stamp");
                expect(stamp === undefined).toBe(previous.marks.length === 0);
                if (stamp !== undefined) expect(read[stamp.block]?.mark).toBeDefined();
              });
            }
          },
        ),
        { numRuns },
      );
    },
    600_000,
  );
});

describe("labels", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc
      .array(fc.constantFrom("[[promptfold", "\\", ":", "system]]", "\n", "x"), { maxLength: 10 })
      .map((parts) => parts.join("")),
  );

  it("are read back exactly, and no user text becomes one", () => {
    fc.assert(
      fc.property(
        texts,
        fc.constantFrom("system" as const, "developer" as const, "assistant" as const),
        (text, role) => {
          expect(readLabel(labelText(role, text))).toEqual({ role, text });
          expect(readByProtocol("user", labelText(role, text))).toEqual({ role, text });
          const asUser = labelText("system", text).replace("[[promptfold:system]]\n", "");
          expect(readLabel(asUser)).toEqual({ role: "user", text });
          expect(asUser).not.toContain("[[promptfold:");
        },
      ),
      { numRuns: 2000 },
    );
  });
});
