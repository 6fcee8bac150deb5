import { InvalidEventError, OffsetConflictError } from "./errors.ts";
import { checkJsonValue } from "./check-json-value.ts";
import type { RestoredEvent, Source } from "./journal.ts";
import { limits } from "./limits.ts";
import { nameProblem } from "./names.ts";
import { preparePayloadText } from "./prepare-events.ts";
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
  return events.map((event) => {
    const where = `restore ${stream}@${String(event.offset)}`;
    const refuse = (problem: string): never => {
      throw new InvalidEventError(`${where}: ${problem}.`);
    };
    if (!Number.isSafeInteger(event.offset) || event.offset <= offset) {
      refuse(`offsets must ascend, and the one before is ${String(offset)}`);
    }
    if (!isTime(event.createdAt)) refuse("createdAt is not ISO 8601 UTC with milliseconds");
    if (event.createdAt < createdAt) refuse(`createdAt is before the previous event's, ${createdAt}`);
    ({ offset, createdAt } = event);
    const typeProblem = nameProblem(event.type, limits.nameBytes);
    if (typeProblem !== undefined) refuse(`its type ${typeProblem}`);
    const key = event.idempotencyKey;
    const keyProblem = key === undefined ? undefined : nameProblem(key, limits.idempotencyKeyBytes);
    if (keyProblem !== undefined) refuse(`its idempotency key ${keyProblem}`);
    if (key !== undefined && keys.has(key)) refuse(`its idempotency key ${JSON.stringify(key)} stands twice`);
    if (key !== undefined) keys.add(key);
    if (event.source !== undefined && !isSource(event.source))
      refuse("its source is not { processor, trust }");
    const payload = preparePayloadText(event.payloadText, where);
    return { offset, createdAt, type: event.type, ...payload, source: event.source, idempotencyKey: key };
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
    throw new InvalidEventError(
      `restore ${stream}@${String(first.offset)}: createdAt is before the previous event's, ${held.lastCreatedAt}.`,
    );
  }
  if (held.knownKey !== undefined) {
    throw new InvalidEventError(
      `restore ${stream}: the idempotency key ${JSON.stringify(held.knownKey)} stands twice.`,
    );
  }
}

function isTime(text: unknown): boolean {
  return typeof text === "string" && CREATED_AT.test(text) && !Number.isNaN(Date.parse(text));
}

function isSource(source: unknown): boolean {
  if (checkJsonValue(source, 8, limits.batchBytes) !== undefined) return false;
  const { processor, trust } = (source ?? {}) as Partial<Record<keyof Source, unknown>>;
  return (
    nameProblem(processor, limits.nameBytes) === undefined && (trust === "inside" || trust === "outside")
  );
}
