import { type DocumentNode, type ObjectNode, parse, type ValueNode } from "@humanwhocodes/momoa";

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
    const fault = placedFault(text, cause) ?? findFault(text);
    return {
      kind: "fault",
      fault: isCurly(text.charAt(fault.offset)) ? { ...fault, reason: CURLY } : fault,
      cause,
    };
  }
}

/** Whether a character is a quote as text programs make them of straight ones. */
function isCurly(character: string): boolean {
  return character !== "" && "“”„‟‘’".includes(character);
}

/** What to say of a fault: what is wrong, and what to do. */
export function explainJsonFault({ reason }: JsonFault): string {
  const [, remedy = REMEDY] = remedies.find(([pattern]) => pattern.test(reason)) ?? ([] as const);
  return `not valid JSON: ${reason}; ${remedy}`;
}

const TOO_EARLY = "it ends too early";
const CURLY = "a curly quote stands here";
const remedies: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [new RegExp(`^${TOO_EARLY}$`), "close every brace, bracket and quote"],
  [new RegExp(`^${CURLY}$`), 'write straight quotes: "'],
  [/control character/, "close each text on its line, and write \\n for a line end in it and \\t for a tab"],
  [/escape/i, "write \\\\ for a backslash in a text"],
];
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
    for (const member of node.members) {
      const name = nameOf(member);
      if (names.has(name)) found.push({ name, offset: member.loc.start.offset });
      names.add(name);
      pending.push(member.value);
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}

/** What to say of a JSON member that occurs twice. */
export function explainDuplicate(name: string): string {
  return `${JSON.stringify(name)} occurs twice in one object, and only the last counts; remove one`;
}

/**
 * Where members of a JSON text's objects are written: takes the names that lead to one from the outermost object on, indexes
 * for the elements of lists, and gives the offset of its name, or of an element. Of a name that occurs twice in one object
 * the last, which is the one that counts. Undefined for what is not there, and for a text that is not JSON.
 */
export function createMemberLocator(
  text: string,
): (path: readonly (string | number)[]) => number | undefined {
  const find = createEntryLocator(text);
  return (path) => find(path)?.start;
}

/** Where the name of a member, or an element of a list, is written: offsets from 0, `end` exclusive. */
export interface EntrySpan {
  readonly start: number;
  readonly end: number;
}

/** {@link createMemberLocator}, with where the name or the element ends. */
export function createEntryLocator(
  text: string,
): (path: readonly (string | number)[]) => EntrySpan | undefined {
  let body: ValueNode | undefined;
  const known = new Map<ObjectNode, ReadonlyMap<string, Member>>();
  const membersOf = (node: ObjectNode): ReadonlyMap<string, Member> => {
    const members = known.get(node) ?? new Map(node.members.map((member) => [nameOf(member), member]));
    known.set(node, members);
    return members;
  };
  return (path) => {
    try {
      body ??= parse(text, { mode: "json" }).body;
    } catch {
      return undefined;
    }
    let value: ValueNode | undefined = body;
    let entry: Member["name"] | ValueNode | undefined;
    for (const part of path) {
      if (value?.type === "Array") {
        entry = value = typeof part === "number" ? value.elements[part]?.value : undefined;
      } else {
        const member: Member | undefined =
          value?.type === "Object" ? membersOf(value).get(String(part)) : undefined;
        entry = member?.name;
        value = member?.value;
      }
    }
    return entry === undefined ? undefined : { start: entry.loc.start.offset, end: entry.loc.end.offset };
  };
}

type Member = ObjectNode["members"][number];

function nameOf({ name }: Member): string {
  return name.type === "String" ? name.value : name.name;
}
