import { isDeepStrictEqual } from "node:util";
import { timeText, type Clock } from "./clock.ts";
import {
  IdempotencyConflictError,
  JournalStorageError,
  LeaseLostError,
  OffsetConflictError,
} from "./errors.ts";
import type { CommittedEvent, LeaseTarget } from "./journal.ts";
import type { AppendRequest, PreparedEvent } from "./store.ts";

/**
 * What an append comes to: the events to store, and for each input the committed event or its index among those;
 * `undefined` when every input is stored.
 */
export interface AppendPlan {
  readonly fresh: readonly PreparedEvent[];
  readonly slots: readonly (CommittedEvent | number)[] | undefined;
}

/**
 * Decides idempotency, which comes before every other check: a key held already (or met earlier in the batch) with a
 * structurally equal type and payload stands for that event, with another it is an `IdempotencyConflictError`.
 */
export function planAppend(
  stream: string,
  events: readonly PreparedEvent[],
  committedByKey: ReadonlyMap<string, CommittedEvent>,
): AppendPlan {
  if (events.every(isKeyless)) return { fresh: events, slots: undefined };
  const fresh: PreparedEvent[] = [];
  const freshByKey = new Map<string, number>();
  const slots = events.map((event) => {
    const key = event.idempotencyKey;
    if (key === undefined) return fresh.push(event) - 1;
    const committed = committedByKey.get(key);
    if (committed !== undefined) {
      if (!sameEvent(event, committed)) throw new IdempotencyConflictError(stream, key, committed.offset);
      return committed;
    }
    const earlier = freshByKey.get(key);
    if (earlier === undefined) {
      const index = fresh.push(event) - 1;
      freshByKey.set(key, index);
      return index;
    }
    if (!sameEvent(event, fresh[earlier] as PreparedEvent)) {
      throw new IdempotencyConflictError(stream, key, undefined);
    }
    return earlier;
  });
  return { fresh, slots };
}

/** The stream that an append goes to, and what it is judged by. */
export interface AppendSite {
  readonly head: number;
  /** `createdAt` of the stream's last event; empty when it has none. */
  readonly lastCreatedAt: string;
  readonly processors: { holds(target: LeaseTarget, fence: number): boolean };
  readonly clock: Clock;
}

/**
 * Judges an append that has `count` events to store, after idempotency and in this order: the expected offset, the lease, room
 * for their offsets. Gives their `createdAt`: the clock's time, but never earlier than the stream's last event. PostgreSQL
 * judges the same inside its statement.
 */
export function admitAppend(
  { stream, expectedOffset, lease }: AppendRequest,
  count: number,
  { head, lastCreatedAt, processors, clock }: AppendSite,
): string {
  if (expectedOffset !== undefined && expectedOffset !== head) {
    throw new OffsetConflictError(stream, expectedOffset, head);
  }
  if (lease !== undefined && !processors.holds(lease, lease.fence)) throw new LeaseLostError(lease);
  checkRoom(stream, head, count);
  const now = timeText(clock());
  return lastCreatedAt > now ? lastCreatedAt : now;
}

/** Throws `storage-corrupt` unless `count` offsets fit after the head: a head without room was written by somebody else. */
function checkRoom(stream: string, head: number, count: number): void {
  if (Number.isSafeInteger(head) && Number.isSafeInteger(head + count)) return;
  throw new JournalStorageError(
    "corrupt",
    `${stream}: no offset follows the stream's head, which is ${head}, and nothing was appended; restore a ` +
      "backup or an export of the journal",
  );
}

/** The committed events in input order, once the fresh ones are stored. */
export function fillSlots(
  { slots }: AppendPlan,
  stored: readonly CommittedEvent[],
): readonly CommittedEvent[] {
  if (slots === undefined) return stored;
  return slots.map((slot) => (typeof slot === "number" ? (stored[slot] as CommittedEvent) : slot));
}

/** The distinct idempotency keys of a batch. */
export function batchKeys(events: readonly PreparedEvent[]): string[] {
  const keys = new Set<string>();
  for (const { idempotencyKey } of events) if (idempotencyKey !== undefined) keys.add(idempotencyKey);
  return [...keys];
}

function isKeyless({ idempotencyKey }: PreparedEvent): boolean {
  return idempotencyKey === undefined;
}

type Body = Pick<PreparedEvent, "type" | "payload" | "payloadText">;

function sameEvent(a: Body, b: Body): boolean {
  if (a.type !== b.type) return false;
  return a.payloadText === b.payloadText || isDeepStrictEqual(plain(a.payload), plain(b.payload));
}

/** The payload as JSON carries it: JSON writes -0 as 0, so a text with -0 and a payload of 0 are equal. */
function plain(payload: unknown): unknown {
  return JSON.parse(JSON.stringify(payload));
}
