import { parseEvent } from "@promptfold/contract";
import { expect, it } from "vitest";
import {
  askForSummary,
  contextItems,
  foldEvents,
  initialState,
  NoOpenRequestError,
  saveState,
} from "./index.ts";

const createdAt = "2026-03-02T09:00:00.000Z";
const events = [
  { type: "agent/created", payload: {} },
  { type: "agents/context-added", payload: { role: "system", content: "You help.", key: "identity" } },
  { type: "agents/context-added", payload: { role: "user", content: "Hello." } },
  { type: "agent/llm-request-requested", payload: { model: "m" } },
].map((event, index) => ({ ...event, offset: index + 1, createdAt }));

it("adds the instruction behind all that the request sent, and leaves the request's state alone", () => {
  const { state } = foldEvents(events);
  const before = JSON.stringify(saveState(state));
  const asked = askForSummary(state, "Summarise.");
  expect(contextItems(asked)).toEqual([
    ...contextItems(state),
    {
      kind: "message",
      offset: 4,
      payload: { role: "developer", content: "Summarise.", actor: { type: "platform" } },
    },
  ]);
  expect(asked.openRequest).toBe(state.openRequest);
  expect(JSON.stringify(saveState(state))).toBe(before);
  expect(events.map((event) => parseEvent(event).kind)).not.toContain("malformed");
});

it("needs an open request", () => {
  const ask = () => askForSummary(initialState, "Summarise.");
  expect(ask).toThrow(NoOpenRequestError);
  expect(ask).toThrow(/^no request is open; /);
  expect(ask).toThrow(expect.objectContaining({ code: "no-open-request" }) as Error);
});
