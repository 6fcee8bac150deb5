import { type KnownEvent, type KnownEventType, payloadSchemas, type StoredEvent } from "./event.ts";
import { eventTrust } from "./event-trust.ts";
import { isFlawless } from "./flawless-payload.ts";

/** What is wrong with a malformed payload: the path to the value, and the rule it breaks. */
export interface PayloadIssue {
  readonly path: string;
  readonly message: string;
}

/** A stored event after validation. Unknown and malformed events are facts of the log: reported, never thrown. */
export type ParsedEvent =
  | { readonly kind: "known"; readonly event: KnownEvent }
  | { readonly kind: "unknown"; readonly event: StoredEvent }
  | { readonly kind: "malformed"; readonly event: StoredEvent; readonly issues: readonly PayloadIssue[] };

/**
 * Each known type by its name. What comes out is the literal of the code: engines tell it from others by its address, while a
 * string that was read from JSON is compared letter by letter, by everybody who asks for the type later.
 */
const knownTypes: ReadonlyMap<string, KnownEventType> = new Map(
  Object.keys(payloadSchemas).map((type) => [type, type as KnownEventType]),
);

/**
 * Validates one stored event, once, where events enter. Takes the event as stored; returns it as `known` with its
 * payload read and its trust judged, as `unknown` (a type of another vocabulary) or as `malformed` with the reasons.
 * A payload that is valid in every field is kept, not copied: whoever changes it afterwards changes the event.
 */
export function parseEvent(stored: StoredEvent): ParsedEvent {
  const type = knownTypes.get(stored.type);
  if (type === undefined) return { kind: "unknown", event: stored };
  let { payload } = stored;
  if (!isFlawless(type, payload)) {
    const parsed = payloadSchemas[type].safeParse(payload);
    if (!parsed.success) {
      const issues = parsed.error.issues.map(({ path, message }) => ({
        path: ["payload", ...path.map(String)].join("."),
        message,
      }));
      return { kind: "malformed", event: stored, issues };
    }
    payload = parsed.data;
  }
  const event: Mutable<Omit<KnownEvent, "type" | "payload">> & { type: KnownEventType; payload: unknown } = {
    offset: stored.offset,
    type,
    payload,
    createdAt: stored.createdAt,
    trust: eventTrust(stored),
  };
  if (stored.idempotencyKey !== undefined) event.idempotencyKey = stored.idempotencyKey;
  if (stored.source !== undefined) event.source = stored.source;
  // The schema was chosen by the type, so type and payload belong together.
  return { kind: "known", event: event as KnownEvent };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
