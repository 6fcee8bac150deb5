import { PromptfoldError } from "@promptfold/contract";
import { copyJsonValue, holdsInfinity, nestsDeeper } from "./copy-json-value.ts";
import { EventTooLargeError, InvalidEventError } from "./errors.ts";
import type { NewEvent, Source } from "./journal.ts";
import { limits } from "./limits.ts";
import { keyProblem, nameProblem } from "./names.ts";
import type { PreparedEvent } from "./store.ts";

/** An event's place, for messages: its stream and index in the batch, and its type (or, restored, its offset) once known. */
export interface Place {
  readonly stream: string;
  readonly index: number;
  type?: string;
  readonly offset?: number;
}

/**
 * Validates a batch and fixes its payload texts, before anything is written. Throws `InvalidEventError` or
 * `EventTooLargeError` naming the event by its place in the batch.
 */
export function prepareEvents(
  stream: string,
  events: readonly NewEvent[],
  trust: Source["trust"],
): PreparedEvent[] {
  if (!Array.isArray(events))
    throw new InvalidEventError(`append to ${stream}: the events are not an array; pass one`);
  if (events.length > limits.batchEvents) {
    throw new EventTooLargeError(
      `append to ${stream}: ${events.length} events in one batch, the limit is ${limits.batchEvents}; ` +
        "append them in several batches",
    );
  }
  const prepared: PreparedEvent[] = [];
  let total = 0;
  for (let index = 0; index < events.length; index += 1) {
    const event = readEvent(events, trust, { stream, index });
    prepared.push(event);
    total += event.payloadBytes;
    if (total > limits.batchBytes) {
      throw new EventTooLargeError(
        `append to ${stream}: payloads of more than ${limits.batchBytes} bytes in one batch; ` +
          "append them in several batches",
      );
    }
  }
  return prepared;
}

/** Whatever reading the event throws, such as a getter's error, is this event's fault. */
function readEvent(events: readonly NewEvent[], trust: Source["trust"], place: Place): PreparedEvent {
  try {
    return prepareEvent(events[place.index] as NewEvent, trust, place);
  } catch (error) {
    if (PromptfoldError.isInstance(error)) throw error;
    throw invalid(place, `cannot be read (${error instanceof Error ? error.message : "no error"})`, error);
  }
}

function prepareEvent(event: NewEvent, trust: Source["trust"], place: Place): PreparedEvent {
  if (typeof event !== "object" || (event as unknown) === null) {
    throw invalid(place, "is not an object with a type and a payload");
  }
  const { type } = event;
  const idempotencyKey = storedKey(event.idempotencyKey, trust, place);
  checkTypeAndKey(type, idempotencyKey, place);
  place.type = type;
  const { payload, payloadText, payloadBytes } = preparePayload(event, place);
  return { type, payload, payloadText, payloadBytes, idempotencyKey };
}

/** Where the keys of events from outside live, so that none of them can take a key that the inside decides by. */
const OUTSIDE_KEYS = "outside/";

function storedKey(key: unknown, trust: Source["trust"], place: Place): string | undefined {
  // What is no key at all is judged with the rest of the event.
  if (typeof key !== "string" || key === "") return key as string | undefined;
  if (trust === "outside") return `${OUTSIDE_KEYS}${key}`;
  if (!key.startsWith(OUTSIDE_KEYS)) return key;
  throw invalid(
    place,
    `has the idempotency key ${JSON.stringify(key)}; keys that begin with ${OUTSIDE_KEYS} are those of events from ` +
      "outside, so choose another one",
  );
}

/** Throws `InvalidEventError` unless the type and the key, if there is one, can be stored. */
export function checkTypeAndKey(type: unknown, key: unknown, place: Place): void {
  const typeProblem = nameProblem(type, limits.nameBytes);
  if (typeProblem !== undefined) throw invalid(place, `has a type that ${typeProblem}`);
  const unfit = key === undefined ? undefined : keyProblem(key);
  if (unfit !== undefined) throw invalid(place, `has an idempotency key that ${unfit}`);
}

type PreparedPayload = Pick<PreparedEvent, "payload" | "payloadText" | "payloadBytes">;

function preparePayload(event: NewEvent, place: Place): PreparedPayload {
  if ("payloadText" in event) {
    if ("payload" in event) throw invalid(place, "has a payload and a payloadText; pass one of them");
    return preparePayloadText(event.payloadText, place);
  }
  // What is returned is what a reader gets, and shares nothing with the caller's objects.
  const { problem, copy } = copyJsonValue(event.payload, limits.payloadDepth, limits.payloadBytes);
  if (problem?.kind === "too-large") throw tooLarge(place);
  if (problem !== undefined) throw invalid(place, `cannot be stored: ${problem.message}`, problem.cause);
  const payloadText = JSON.stringify(copy);
  return { payload: copy, payloadText, payloadBytes: measure(payloadText, place) };
}

/** Validates JSON text that is to be stored as it stands. */
export function preparePayloadText(payloadText: unknown, place: Place): PreparedPayload {
  if (typeof payloadText !== "string") throw invalid(place, "has a payloadText that is not a string");
  const payloadBytes = measure(payloadText, place);
  if (/\p{Surrogate}/u.test(payloadText)) {
    throw invalid(place, "has half a surrogate pair in its payloadText; write it as an escape");
  }
  let payload: unknown;
  try {
    payload = JSON.parse(payloadText);
  } catch (cause) {
    throw invalid(place, `has a payloadText that is not JSON (${(cause as Error).message})`, cause);
  }
  const problem = payloadProblem(payload, payloadText);
  if (problem !== undefined) throw invalid(place, `has ${problem}`);
  return { payload, payloadText, payloadBytes };
}

/** A number beyond what a double holds has an exponent or more digits than this. */
const MANY_DIGITS = 300;

/** What makes JSON text unfit for a payload though it is JSON, in words that follow "has"; undefined when nothing does. */
export function payloadProblem(payload: unknown, payloadText: string): string | undefined {
  if (nestsDeeper(payload, limits.payloadDepth))
    return `a payload that nests deeper than ${limits.payloadDepth} levels`;
  if ((payloadText.length > MANY_DIGITS || /\d[eE]/.test(payloadText)) && holdsInfinity(payload))
    return "a payload with a number that is too large for JSON readers; write it as a string";
  return undefined;
}

function measure(payloadText: string, place: Place): number {
  const bytes = Buffer.byteLength(payloadText);
  if (bytes > limits.payloadBytes) throw tooLarge(place);
  return bytes;
}

/** The error for an event that cannot be stored. */
export function invalid(place: Place, problem: string, cause?: unknown): InvalidEventError {
  const { index } = place;
  return new InvalidEventError(`${describePlace(place)} ${problem}`, {
    index,
    ...(cause === undefined ? {} : { cause }),
  });
}

function tooLarge(place: Place): EventTooLargeError {
  return new EventTooLargeError(
    `${describePlace(place)} has a payload of more than ${limits.payloadBytes} bytes of JSON; ` +
      "store the content elsewhere and append a reference, or split it into several events",
    { index: place.index },
  );
}

function describePlace({ stream, index, type, offset }: Place): string {
  if (offset !== undefined) return `the event ${stream}@${offset}`;
  return `append to ${stream}, event ${index}${type === undefined ? "" : ` (${type})`}`;
}
