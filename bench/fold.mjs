/**
 * The fold's cost: a batch is linear in its events, and one more event costs the same at any length. Beside it the
 * ways that were not taken: copying the array for each event, and a general persistent list.
 */
import { parseEvent } from "@promptfold/contract";
import { foldEvent, foldEvents, initialState, loadState, saveState } from "@promptfold/fold";
import { List } from "immutable";
import { measure, printTable } from "./measure.mjs";

/** @typedef {import("@promptfold/contract").StoredEvent} StoredEvent */

const sizes = [1_000, 10_000, 100_000];
const text = "A sentence of ordinary length, as people write them to agents every day. ".repeat(3);

/**
 * A conversation: every 20th event updates one of 40 sections, every 5th opens a request that the 4th after it settles.
 *
 * @param {number} count
 * @returns {StoredEvent[]}
 */
function conversation(count) {
  let request = 0;
  return Array.from({ length: count }, (_, index) => {
    const offset = index + 1;
    const createdAt = new Date(Date.UTC(2026, 2, 2) + index * 1000).toISOString();
    const event = (/** @type {string} */ type, /** @type {unknown} */ payload) => ({
      offset,
      type,
      payload,
      createdAt,
    });
    if (index % 20 === 0) {
      const key = `section-${(index / 20) % 40}`;
      return event("agents/context-added", { role: "system", key, content: text });
    }
    switch (index % 5) {
      case 1:
        return event("agents/context-added", { role: "user", content: text });
      case 2:
        request = offset;
        return event("agent/llm-request-requested", { model: "m" });
      case 3:
        return event("agents/context-added", { role: "assistant", content: text, llmRequestOffset: request });
      case 4:
        return event("agent/llm-request-settled", {
          requestOffset: request,
          result: { status: "succeeded" },
        });
      default:
        return event("agent/summary-updated", { activity: "thinking" });
    }
  });
}

/** @param {readonly StoredEvent[]} events */
function knownEvents(events) {
  return events.flatMap((stored) => {
    const parsed = parseEvent(stored);
    return parsed.kind === "known" ? [parsed.event] : [];
  });
}

/** @param {readonly StoredEvent[]} events */
function pushItems(events) {
  const items = [];
  for (const { offset, payload } of events) items.push({ kind: "message", offset, payload });
  return items;
}

/** @param {readonly StoredEvent[]} events */
function listItems(events) {
  let items = List();
  for (const { offset, payload } of events) items = items.push({ kind: "message", offset, payload });
  return items;
}

/** @param {readonly StoredEvent[]} events */
function copyItems(events) {
  /** @type {readonly unknown[]} */
  let items = [];
  for (const { offset, payload } of events) items = [...items, { kind: "message", offset, payload }];
  return items;
}

const batchRows = sizes.map((size) => {
  const events = conversation(size);
  const known = knownEvents(events);
  const rows = events.map((event) => JSON.stringify(event));
  const times = measure([
    { name: "push", run: () => pushItems(events) },
    { name: "fold", run: () => known.reduce(foldEvent, initialState) },
    { name: "list", run: () => listItems(events) },
    { name: "validate", run: () => foldEvents(events).state },
    { name: "parse", run: () => rows.map((row) => /** @type {unknown} */ (JSON.parse(row))) },
    {
      name: "rows",
      run: () => foldEvents(rows.map((row) => /** @type {StoredEvent} */ (JSON.parse(row)))).state,
    },
    ...(size <= 10_000 ? [{ name: "copy", run: () => copyItems(events) }] : []),
  ]);
  const ms = (/** @type {string} */ name) => times.get(name) ?? Number.NaN;
  return {
    events: size.toLocaleString("en"),
    "push onto an array": `${ms("push").toFixed(2)} ms`,
    "foldEvent each": `${ms("fold").toFixed(2)} ms`,
    "per event": `${((ms("fold") * 1e6) / size).toFixed(0)} ns`,
    "persistent list": `${ms("list").toFixed(2)} ms`,
    "copy the array": size <= 10_000 ? `${ms("copy").toFixed(2)} ms` : "minutes",
    "validate and fold": `${ms("validate").toFixed(2)} ms`,
    "JSON.parse": `${ms("parse").toFixed(2)} ms`,
    "rows to state": `${ms("rows").toFixed(2)} ms`,
    "rows / parse": (ms("rows") / ms("parse")).toFixed(2),
  };
});
printTable("A batch of events", batchRows);

const repeats = 1_000;
const oneMoreRows = sizes.map((size) => {
  const state = foldEvents(conversation(size)).state;
  const at = { offset: size + 1, createdAt: "2026-03-03T00:00:00.000Z" };
  const message = { ...at, type: "agents/context-added", payload: { role: "user", content: text } };
  const section = { ...message, payload: { role: "system", key: "section-7", content: text } };
  const [messageEvent, sectionEvent] = knownEvents([message, section]);
  const saved = JSON.stringify(saveState(state));
  const times = measure(
    [
      { name: "message", run: () => repeat(() => messageEvent && foldEvent(state, messageEvent)) },
      { name: "section", run: () => repeat(() => sectionEvent && foldEvent(state, sectionEvent)) },
      { name: "save", run: () => JSON.stringify(saveState(state)) },
      { name: "load", run: () => loadState(JSON.parse(saved)) },
    ],
    { rounds: 9, warmup: 4 },
  );
  const nanoseconds = (/** @type {string} */ name) =>
    `${(((times.get(name) ?? Number.NaN) * 1e6) / repeats).toFixed(0)} ns`;
  const milliseconds = (/** @type {string} */ name) => `${(times.get(name) ?? Number.NaN).toFixed(1)} ms`;
  return {
    "events before": size.toLocaleString("en"),
    "one more message": nanoseconds("message"),
    "one more section update": nanoseconds("section"),
    "save to JSON": milliseconds("save"),
    "load from JSON": milliseconds("load"),
  };
});
printTable("One more event on a kept state", oneMoreRows);

/** @param {() => unknown} work */
function repeat(work) {
  let last;
  for (let count = 0; count < repeats; count++) last = work();
  return last;
}
