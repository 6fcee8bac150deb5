import { type DocumentNode, parse, type ValueNode } from "@humanwhocodes/momoa";

/** A fault in a JSON text, at an offset from 0. */
export interface JsonFault {
  readonly offset: number;
  readonly reason: string;
}

/** A JSON text, read; or why it cannot be. */
export type JsonReading =
  | { readonly kind: "data"; readonly data: unknown }
  | { readonly kind: "fault"; readonly fault: JsonFault; readonly cause: unknown };

/** Reads JSON, and says where it is broken when it is: `JSON.parse` alone does not reliably say that. */
export function readJson(text: string): JsonReading {
  try {
    return { kind: "data", data: JSON.parse(text) as unknown };
  } catch (cause) {
    return { kind: "fault", fault: placedFault(text, cause) ?? findFault(text), cause };
  }
}

/** What to say of a fault: what is wrong, and what to do. */
export function explainJsonFault({ reason }: JsonFault): string {
  const remedy = reason === TOO_EARLY ? "close every brace, bracket and quote" : REMEDY;
  return `not valid JSON: ${reason}; ${remedy}`;
}

const TOO_EARLY = "it ends too early";
const REMEDY =
  "texts and names stand in double quotes, with a comma between two entries and none after the last";

/** The fault as the engine tells it, when it tells its place. */
function placedFault(text: string, cause: unknown): JsonFault | undefined {
  const message = cause instanceof Error ? cause.message : "";
  if (message.includes("end of JSON input")) return { offset: text.length, reason: TOO_EARLY };
  const match = /^(.*?) in JSON at position (\d+)/s.exec(message);
  return match === null ? undefined : { offset: Number(match[2]), reason: match[1] ?? message };
}

/** Only a broken text pays for the parser that knows places. */
function findFault(text: string): JsonFault {
  try {
    parse(text, { mode: "json" });
  } catch (error) {
    if (error instanceof Error && "offset" in error && typeof error.offset === "number") {
      const reason = error.message.replace(/ found\.? ?\(\d+:\d+\)$| \(\d+:\d+\)$/, "");
      return { offset: Math.min(error.offset, text.length), reason };
    }
  }
  return { offset: 0, reason: "it cannot be read" };
}

/**
 * The members of a JSON text's objects whose name occurred before in the same object, of which `JSON.parse` silently
 * keeps the last. Nothing for a text that is not JSON.
 */
export function duplicateMembers(
  text: string,
): readonly { readonly name: string; readonly offset: number }[] {
  let document: DocumentNode;
  try {
    document = parse(text, { mode: "json" });
  } catch {
    return [];
  }
  const found: { name: string; offset: number }[] = [];
  const pending: ValueNode[] = [document.body];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.type === "Array") pending.push(...node.elements.map((element) => element.value));
    if (node.type !== "Object") continue;
    const names = new Set<string>();
    for (const { name, value, loc } of node.members) {
      const text = name.type === "String" ? name.value : name.name;
      if (names.has(text)) found.push({ name: text, offset: loc.start.offset });
      names.add(text);
      pending.push(value);
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}
