import { isPlainObject } from "@promptfold/contract";
import { jsonSpelling } from "./json-spelling.ts";

/** Names of the fields by which a result is told to be that of a call, in any API. */
const idFields: ReadonlySet<string> = new Set(["id", "call_id", "tool_call_id", "tool_use_id", "toolCallId"]);
/** Fields with a call or a result in them; every other one may hold the caller's own data. */
const holders: ReadonlySet<string> = new Set([
  "tool_calls",
  "functionCall",
  "function_call",
  "functionResponse",
  "function_response",
]);

/**
 * Whether two blocks' identifiers of calls differ, and whether nothing else does: `alone`, or `among` other
 * differences. Undefined where none differs. What an identifier looks like does not matter.
 */
export function compareCallIds(before: string, after: string): "alone" | "among" | undefined {
  const [old, now] = [splitCallIds(before), splitCallIds(after)];
  if (old === undefined || now === undefined || old.ids === now.ids) return undefined;
  return old.rest === now.rest || jsonSpelling(old.rest, now.rest) !== undefined ? "alone" : "among";
}

/** A block's text without the identifiers of calls in it. */
export function withoutCallIds(text: string): string {
  return splitCallIds(text)?.rest ?? text;
}

/** A call's or a result's identifiers, and its JSON without them; undefined where it has none. */
function splitCallIds(text: string): { readonly ids: string; readonly rest: string } | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const ids: unknown[] = [];
    const rest = JSON.stringify(takeIds(JSON.parse(text), ids));
    return ids.length === 0 ? undefined : { ids: JSON.stringify(ids), rest };
  } catch (error) {
    // no JSON, or nested too deeply to be written again
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function takeIds(value: unknown, ids: unknown[]): unknown {
  if (Array.isArray(value)) return value.map((each) => takeIds(each, ids));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]): [string, unknown] => {
      if (holders.has(name)) return [name, takeIds(each, ids)];
      if (!idFields.has(name) || (typeof each !== "string" && typeof each !== "number")) return [name, each];
      ids.push(each);
      return [name, null];
    }),
  );
}
