import { checkJsonValue } from "./check-json-value.ts";
import { EventTooLargeError, InvalidEventError } from "./errors.ts";
import type { NewEvent } from "./journal.ts";
import { limits } from "./limits.ts";
import { nameProblem } from "./names.ts";
import type { PreparedEvent } from "./store.ts";

/**
 * Validates a batch and fixes its payload texts, before anything is written. Throws `InvalidEventError` or
 * `EventTooLargeError` naming the event by its place in the batch.
 */
export function prepareEvents(stream: string, events: readonly NewEvent[]): PreparedEvent[] {
  if (!Array.isArray(events)) throw new InvalidEventError(`append to ${stream}: pass an array of events.`);
  if (events.length > limits.batchEvents) {
    throw new EventTooLargeError(
      `append to ${stream}: ${String(events.length)} events in one batch, the limit is ` +
        `${String(limits.batchEvents)}. Append them in several batches.`,
    );
  }
  let total = 0;
  const prepared = events.map((event, index) => {
    const ready = prepareEvent(event, `append to ${stream}, event ${String(index)}`);
    total += ready.payloadBytes;
    if (total > limits.batchBytes) {
      throw new EventTooLargeError(
        `append to ${stream}: payloads of more than ${String(limits.batchBytes)} bytes in one batch. ` +
          "Append them in several batches.",
      );
    }
    return ready;
  });
  return prepared;
}

function prepareEvent(event: NewEvent, where: string): PreparedEvent {
  if (typeof event !== "object" || (event as unknown) === null) {
    throw new InvalidEventError(`${where} is not an object with a type and a payload.`);
  }
  const typeProblem = nameProblem(event.type, limits.nameBytes);
  if (typeProblem !== undefined) throw new InvalidEventError(`${where}: its type ${typeProblem}.`);
  const key = event.idempotencyKey;
  const keyProblem = key === undefined ? undefined : nameProblem(key, limits.idempotencyKeyBytes);
  if (keyProblem !== undefined) throw new InvalidEventError(`${where}: its idempotency key ${keyProblem}.`);
  const what = `${where} (${event.type})`;
  return { type: event.type, idempotencyKey: key, ...preparePayload(event, what) };
}

type PreparedPayload = Pick<PreparedEvent, "payload" | "payloadText" | "payloadBytes">;

function preparePayload(event: NewEvent, where: string): PreparedPayload {
  if ("payloadText" in event) {
    if ("payload" in event) throw new InvalidEventError(`${where}: pass payload or payloadText, not both.`);
    return preparePayloadText(event.payloadText, where);
  }
  const problem = checkJsonValue(event.payload, limits.payloadDepth, limits.payloadBytes);
  if (problem?.kind === "too-large") throw tooLarge(where);
  if (problem !== undefined) throw new InvalidEventError(`${where}: ${problem.message}`);
  const payloadText = JSON.stringify(event.payload);
  // Parsed again, so that what is returned is what a reader gets and shares nothing with the caller's objects.
  return { payload: JSON.parse(payloadText), payloadText, payloadBytes: measure(payloadText, where) };
}

/** Validates JSON text that is to be stored as it stands. */
export function preparePayloadText(payloadText: unknown, where: string): PreparedPayload {
  if (typeof payloadText !== "string")
    throw new InvalidEventError(`${where}: its payloadText is not a string.`);
  const payloadBytes = measure(payloadText, where);
  if (/\p{Surrogate}/u.test(payloadText)) {
    throw new InvalidEventError(
      `${where}: its payloadText holds half a surrogate pair; write it as an escape.`,
    );
  }
  let payload: unknown;
  try {
    payload = JSON.parse(payloadText);
  } catch (cause) {
    throw new InvalidEventError(`${where}: its payloadText is not JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
  const problem = checkJsonValue(payload, limits.payloadDepth, Infinity);
  if (problem !== undefined) throw new InvalidEventError(`${where}: ${problem.message}`);
  return { payload, payloadText, payloadBytes };
}

function measure(payloadText: string, where: string): number {
  // A UTF-16 unit is at most three bytes of UTF-8; only long texts need counting before they are refused.
  const bytes = Buffer.byteLength(payloadText);
  if (bytes > limits.payloadBytes) throw tooLarge(where);
  return bytes;
}

function tooLarge(where: string): EventTooLargeError {
  return new EventTooLargeError(
    `${where}: its payload is larger than ${String(limits.payloadBytes)} bytes of JSON. ` +
      "Store the content elsewhere and append a reference, or split it into several events.",
  );
}
