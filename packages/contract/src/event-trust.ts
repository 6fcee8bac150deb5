import type { StoredEvent, Trust } from "./event.ts";
import { isPlainObject } from "./plain-object.ts";

const insideActors: ReadonlySet<string> = new Set(["agent", "script", "worker", "platform"]);

/**
 * Whether an event comes from inside or outside. With `source`, its `trust` decides. Without (imported and older
 * streams) the payload's actor does: absent, `agent`, `script`, `worker` and `platform` are inside, all others
 * outside. A source or actor that is there but cannot be read counts as outside.
 */
export function eventTrust(event: Pick<StoredEvent, "payload"> & { readonly source?: unknown }): Trust {
  if (event.source !== undefined && event.source !== null) {
    return isPlainObject(event.source) && event.source["trust"] === "inside" ? "inside" : "outside";
  }
  if (!isPlainObject(event.payload) || !Object.hasOwn(event.payload, "actor")) return "inside";
  const actor = event.payload["actor"];
  if (actor === undefined || actor === null) return "inside";
  return isPlainObject(actor) && typeof actor["type"] === "string" && insideActors.has(actor["type"])
    ? "inside"
    : "outside";
}
