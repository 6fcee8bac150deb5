import { OffsetConflictError } from "./errors.ts";
import { copyJsonValue } from "./copy-json-value.ts";
import type { RestoredEvent, Source } from "./journal.ts";
import { limits } from "./limits.ts";
import { nameProblem } from "./names.ts";
import { checkTypeAndKey, invalid, preparePayloadText } from "./prepare-events.ts";
import type { PreparedEvent } from "./store.ts";

/** An event to restore, validated. */
export interface PreparedRestore extends PreparedEvent {
  readonly offset: number;
  readonly createdAt: string;
  readonly source: Source | undefined;
}

const CREATED_AT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** Validates events that bring their offsets, times, keys and sources along. Throws `InvalidEventError`. */
export function prepareRestored(
  stream: string,
  events: readonly RestoredEvent[],
  after: number,
): PreparedRestore[] {
  let offset = after;
  let createdAt = "";
  const keys = new Set<string>();
  return events.map((event, index) => {
    const place = { stream, index, offset: event.offset };
    const { type, idempotencyKey, source } = event;
    if (!Number.isSafeInteger(event.offset) || event.offset < 1 || event.offset > limits.restoredOffset) {
      throw invalid(place, `has an offset that is no whole number from 1 to ${limits.restoredOffset}`);
    }
    if (event.offset <= offset) {
      throw invalid(
        place,
        `does not ascend: the offset before it is ${offset}; sort the events, and leave out what occurs twice`,
      );
    }
    if (!isTime(event.createdAt)) throw invalid(place, timeProblem(event.createdAt));
    if (event.createdAt < createdAt) throw invalid(place, orderProblem(createdAt));
    ({ offset, createdAt } = event);
    checkTypeAndKey(type, idempotencyKey, place);
    if (idempotencyKey !== undefined && keys.has(idempotencyKey)) {
      throw invalid(place, keyProblem(idempotencyKey));
    }
    if (idempotencyKey !== undefined) keys.add(idempotencyKey);
    const problem = source === undefined ? undefined : sourceProblem(source);
    if (problem !== undefined) throw invalid(place, problem);
    return {
      offset,
      createdAt,
      type,
      idempotencyKey,
      source,
      ...preparePayloadText(event.payloadText, place),
    };
  });
}

/** Checks restored events against the stream they go to, inside the store's transaction. */
export function checkRestored(
  stream: string,
  events: readonly PreparedRestore[],
  after: number,
  held: { readonly head: number; readonly lastCreatedAt: string; readonly knownKey: string | undefined },
): void {
  if (held.head !== after) throw new OffsetConflictError(stream, after, held.head);
  const first = events[0];
  if (first !== undefined && first.createdAt < held.lastCreatedAt) {
    const place = { stream, index: 0, offset: first.offset };
    throw invalid(place, orderProblem(held.lastCreatedAt));
  }
  if (held.knownKey !== undefined) {
    const index = events.findIndex(({ idempotencyKey }) => idempotencyKey === held.knownKey);
    const place = { stream, index, offset: events[index]?.offset ?? after };
    throw invalid(place, keyProblem(held.knownKey));
  }
}

function keyProblem(key: string): string {
  return `repeats the idempotency key ${JSON.stringify(key)}; a stream has each key once, so leave this event out or drop its key`;
}

function timeProblem(createdAt: unknown): string {
  const fault = createdAt === undefined ? "has no createdAt" : "has a createdAt of another form";
  return `${fault}; write ISO 8601 UTC with milliseconds, such as 2026-03-02T09:00:00.000Z`;
}

function orderProblem(before: string): string {
  return `was created before the previous event (${before}); in a stream no time goes back, so correct its createdAt`;
}

/** Whether it is ISO 8601 UTC with milliseconds, of a day that the calendar has. */
export function isTime(text: unknown): boolean {
  if (typeof text !== "string" || !CREATED_AT.test(text)) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}

/** What keeps something from being a `Source`, in words that follow "the event"; undefined when it is one. */
export function sourceProblem(source: unknown): string | undefined {
  const { processor, trust } = (source ?? {}) as Partial<Record<keyof Source, unknown>>;
  const isTrust = trust === "inside" || trust === "outside";
  if (!isTrust || typeof processor !== "string") {
    return 'has a source that is not { processor, trust }, with "inside" or "outside" as trust';
  }
  const problem = nameProblem(processor, limits.nameBytes);
  if (problem !== undefined) return `has a source whose processor ${problem}`;
  return copyJsonValue(source, 8, limits.batchBytes).problem === undefined
    ? undefined
    : "has a source that JSON cannot carry";
}
