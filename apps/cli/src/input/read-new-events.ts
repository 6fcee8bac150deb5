import { isPlainObject } from "@promptfold/contract";
import type { NewEvent } from "@promptfold/journal";
import { InputError } from "../errors.ts";
import { parseJson } from "./read-json-object.ts";
import { readTextInput } from "./read-text-input.ts";

/** Reads events to append from JSONL, one `{ type, payload, idempotencyKey? }` a line; `-` is standard input. */
export async function readNewEvents(path: string): Promise<NewEvent[]> {
  const { name, text } = await readTextInput(path);
  // Not by every Unicode line end: those may stand inside JSON strings.
  return text
    .replace(/^\ufeff/, "")
    .split("\n")
    .flatMap((json, index) => (json.trim() === "" ? [] : [parseNewEvent(json, name, index + 1)]));
}

/** Reads one event; `file` and `line` say in errors where it stands. @throws InputError for what is no event */
export function parseNewEvent(json: string, file: string, line?: number): NewEvent {
  const place = line === undefined ? file : `${file}:${line}`;
  const value = parseJson(json, { file, line });
  const wanted = 'an event is {"type": "…", "payload": {…}}, with an "idempotencyKey" if you like';
  if (!isPlainObject(value)) throw new InputError(`${place}: not an event; ${wanted}`);
  const { type, payload, idempotencyKey } = value;
  if (typeof type !== "string") throw new InputError(`${place}: the event has no type; ${wanted}`);
  if (payload === undefined) throw new InputError(`${place}: the event has no payload; ${wanted}`);
  if (idempotencyKey === undefined) return { type, payload };
  if (typeof idempotencyKey === "string") return { type, payload, idempotencyKey };
  throw new InputError(`${place}: the idempotencyKey is no string; ${wanted}`);
}
