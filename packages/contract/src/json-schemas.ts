import { z } from "zod";
import { type KnownEventType, payloadSchemas, StoredEvent } from "./event.ts";

/** A JSON Schema document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema (draft 2020-12) of a stored event's envelope. */
export function eventJsonSchema(): JsonSchema {
  return z.toJSONSchema(StoredEvent, { io: "input", unrepresentable: "any" });
}

/** The JSON Schema (draft 2020-12) of one event type's payload. Rules that JSON Schema cannot say are left out. */
export function payloadJsonSchema(type: KnownEventType): JsonSchema {
  return z.toJSONSchema(payloadSchemas[type], { io: "input", unrepresentable: "any" });
}
