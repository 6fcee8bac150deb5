/**
 * The fold's cost: a batch is linear in its events, and one more event costs the same at any length. Beside it the
 * ways that were not taken: copying the array for each event, and a general persistent list.
 */
import { parseEvent, payloadSchemas } from "@promptfold/contract";
import { foldEvent, foldEvents, initialState, loadState, saveState } from "@promptfold/fold";
import { List } from "immutable";
import { measure, named, printClaims, printTable, time } from "./measure.mjs";

/** @typedef {import("@promptfold/contract").StoredEvent} StoredEvent */
/** @typedef {import("@promptfold/contract").KnownEvent} KnownEvent */

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

/**
 * The payload parsed by the schema of its type, as anybody would who has zod.
 *
 * @param {StoredEvent} stored
 */
function parseByZod({ type, payload }) {
  const { success, data } = payloadSchemas[/** @type {KnownEvent["type"]} */ (type)].safeParse(payload);
  return success ? /** @type {KnownEvent} */ ({ type, payload: data }) : undefined;
}

/** @param {StoredEvent} stored */
function parseByContract(stored) {
  const parsed = parseEvent(stored);
  return parsed.kind === "known" ? parsed.event : undefined;
}

/**
 * What somebody writes who needs no earlier state: one object and one array change in place.
 *
 * @param {readonly StoredEvent[]} events
 * @param {(stored: StoredEvent) => KnownEvent | undefined} parse
 */
function pushItems(events, parse) {
  /** @type {unknown[]} */
  const items = [];
  /** @type {Map<string, number>} */
  const sections = new Map();
  /** @type {{ trigger: unknown, request: number | undefined, summary: object }} */
  const agent = { trigger: undefined, request: undefined, summary: {} };
  for (const stored of events) {
    const event = parse(stored);
    if (event === undefined) continue;
    const { offset, createdAt } = stored;
    switch (event.type) {
      case "agents/context-added": {
        const { payload } = event;
        const { role, key } = payload;
        if (key === undefined) items.push({ kind: "message", offset, payload });
        else {
          const supersedes = sections.get(key);
          sections.set(key, offset);
          items.push({ kind: "section", offset, key, supersedes, payload });
        }
        if (role === "user") agent.trigger = { offset, at: createdAt };
        break;
      }
      case "agent/llm-request-requested":
        items.push({ kind: "request", offset, requestedAt: createdAt });
        agent.trigger = undefined;
        agent.request = offset;
        break;
      case "agent/llm-request-settled":
        if (event.payload.requestOffset === agent.request) agent.request = undefined;
        break;
      case "agent/summary-updated":
        Object.assign(agent.summary, event.payload);
        break;
      default:
        throw new Error(`the conversation holds no ${event.type}`);
    }
  }
  return { items, agent };
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

/**
 * Page by page, as journals are read.
 *
 * @param {readonly string[]} rows
 */
function foldRows(rows) {
  let state = initialState;
  for (let start = 0; start < rows.length; start += 256) {
    const page = rows.slice(start, start + 256).map((row) => /** @type {StoredEvent} */ (JSON.parse(row)));
    state = foldEvents(page, { from: state }).state;
  }
  return state;
}

/** @type {import("./measure.mjs").Claim[]} */
const claims = [];
const batchRows = sizes.map((size) => {
  const events = conversation(size);
  const known = knownEvents(events);
  const rows = events.map((event) => JSON.stringify(event));
  const times = time(
    [
      { name: "push", run: () => pushItems(events, parseByZod) },
      { name: "contract", run: () => pushItems(events, parseByContract) },
      { name: "batch", run: () => foldEvents(events).state },
      { name: "each", run: () => known.reduce(foldEvent, initialState) },
      { name: "list", run: () => listItems(events) },
      { name: "parse", run: () => rows.map((row) => /** @type {unknown} */ (JSON.parse(row))) },
      { name: "rows", run: () => foldRows(rows) },
      ...(size <= 10_000 ? [{ name: "copy", run: () => copyItems(events) }] : []),
    ],
    {
      rounds: 31,
      warmup: 10,
      // So many that each sample has its share of the garbage collected: else half of the samples have none.
      repeat: Math.max(1, 100_000 / size),
      clock: "cpu",
      collect: false,
    },
  );
  const of = (/** @type {string} */ name) => named(times, name);
  const each = (/** @type {string} */ name) => `${((of(name).median * 1e6) / size).toFixed(0)} ns`;
  const count = size.toLocaleString("en");
  claims.push(
    {
      claim: `${count} events, validated and folded / parsed by zod and pushed`,
      ours: of("batch"),
      theirs: of("push"),
      most: 1.5,
    },
    { claim: `${count} rows to a state / JSON.parse`, ours: of("rows"), theirs: of("parse"), most: 1.6 },
  );
  return {
    events: count,
    "parsed by zod and pushed": each("push"),
    "parseEvent and pushed": each("contract"),
    "validated and folded": each("batch"),
    "foldEvent each, validated before": each("each"),
    "persistent list": each("list"),
    "copy the array": size <= 10_000 ? each("copy") : "minutes",
  };
});
printClaims("A batch of events", claims);
printTable("A batch, by event", batchRows);

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
    `${((named(times, name) * 1e6) / repeats).toFixed(0)} ns`;
  const milliseconds = (/** @type {string} */ name) => `${named(times, name).toFixed(1)} ms`;
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
