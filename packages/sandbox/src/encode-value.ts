/** A value as JSON text, or why there is none. */
export type EncodedValue = { kind: "json"; text: string } | { kind: "undefined" } | { kind: "too-large" };

/** Values deeper than this are not written, so that JSON text of a script can be read and written anywhere. */
const DEEPEST = 200;

// Taken before any script runs, for a script may replace what is built in.
const { stringify } = JSON;

/**
 * Writes any value as JSON text of at most `limit` characters, in time bounded by the limit. What JSON cannot carry
 * comes out readable: `10n`, `NaN`, `-0`, `Invalid Date`, `Symbol(s)`, `[Function: f]`, `[Circular]`, `[Promise …]`
 * as strings; a date by `toISOString`; a Map, Set or typed array as `{ "Map": [[1, 2]] }`; an error as
 * `{ name, message, … }`. `undefined` in an array is the string `undefined`, as a member it is left out.
 *
 * This file runs in two places: in Node, for what host functions return, and inside the sandbox, for arguments and
 * results. It therefore imports nothing and uses the language alone.
 */
export function encodeValue(value: unknown, limit: number): EncodedValue {
  if (value === undefined) return { kind: "undefined" };
  const state: Writing = { parts: [], left: limit, depth: 0, ancestors: new Set() };
  try {
    writeValue(state, value);
  } catch (error) {
    if (error === tooLarge) return { kind: "too-large" };
    throw error;
  }
  return { kind: "json", text: state.parts.join("") };
}

interface Writing {
  parts: string[];
  left: number;
  depth: number;
  ancestors: Set<object>;
}

const tooLarge = new RangeError("The value is too large");

function write(state: Writing, text: string): void {
  state.left -= text.length;
  if (state.left < 0) throw tooLarge;
  state.parts.push(text);
}

function writeString(state: Writing, text: string): void {
  if (text.length > state.left) throw tooLarge;
  write(state, stringify(text));
}

function writeValue(state: Writing, value: unknown): void {
  switch (typeof value) {
    case "string":
      writeString(state, value);
      return;
    case "number":
      if (!Number.isFinite(value)) writeString(state, `${value}`);
      else write(state, Object.is(value, -0) ? '"-0"' : `${value}`);
      return;
    case "boolean":
      write(state, value ? "true" : "false");
      return;
    case "bigint":
      writeString(state, `${value}n`);
      return;
    case "undefined":
      write(state, '"undefined"');
      return;
    case "symbol":
      writeString(state, String(value));
      return;
    case "function":
      writeString(state, nameFunction(value));
      return;
    case "object":
      if (value === null) write(state, "null");
      else writeObject(state, value);
  }
}

function nameFunction(value: object): string {
  const name: unknown = readMember(value, "name");
  return typeof name === "string" && name !== "" ? `[Function: ${name}]` : "[Function]";
}

function writeObject(state: Writing, value: object): void {
  if (state.ancestors.has(value)) {
    write(state, '"[Circular]"');
    return;
  }
  if (state.depth >= DEEPEST) {
    writeString(state, `[nested more than ${DEEPEST} levels deep]`);
    return;
  }
  state.ancestors.add(value);
  state.depth += 1;
  const { length } = state.parts;
  const { left } = state;
  try {
    writeByKind(state, value);
  } catch (error) {
    if (error === tooLarge) throw error;
    // A member, `toJSON` or proxy trap threw: the object is replaced as a whole.
    state.parts.length = length;
    state.left = left;
    writeString(state, `[cannot be read: ${describe(error)}]`);
  } finally {
    state.depth -= 1;
    state.ancestors.delete(value);
  }
}

function writeByKind(state: Writing, value: object): void {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  switch (tag) {
    case "Date":
      writeDate(state, value as Date);
      return;
    case "RegExp":
      writeString(state, RegExp.prototype.toString.call(value));
      return;
    case "Number":
    case "String":
    case "Boolean":
    case "BigInt":
    case "Symbol":
      writeValue(state, (value as { valueOf: () => unknown }).valueOf());
      return;
    case "Promise":
      write(state, '"[Promise: await it before you hand it over]"');
      return;
    case "Map":
      writeWrapped(state, "Map", Map.prototype.entries.call(value as Map<unknown, unknown>));
      return;
    case "Set":
      writeWrapped(state, "Set", Set.prototype.values.call(value as Set<unknown>));
      return;
    case "ArrayBuffer":
      writeWrapped(state, "ArrayBuffer", new Uint8Array(value as ArrayBuffer));
      return;
    case "DataView":
      write(state, '"[DataView]"');
      return;
    case "Error":
      writeError(state, value);
      return;
    default:
      if (ArrayBuffer.isView(value))
        writeWrapped(state, nameClass(value), value as unknown as Iterable<unknown>);
      else writePlain(state, value, tag);
  }
}

function writeDate(state: Writing, date: Date): void {
  const time = Date.prototype.getTime.call(date);
  writeString(state, Number.isNaN(time) ? "Invalid Date" : Date.prototype.toISOString.call(date));
}

function writeWrapped(state: Writing, name: string, items: Iterable<unknown>): void {
  write(state, "{");
  writeString(state, name);
  write(state, ":");
  writeItems(state, items);
  write(state, "}");
}

function writeItems(state: Writing, items: Iterable<unknown>): void {
  write(state, "[");
  let first = true;
  for (const item of items) {
    if (!first) write(state, ",");
    first = false;
    writeValue(state, item);
  }
  write(state, "]");
}

function writeError(state: Writing, error: object): void {
  const members: [string, unknown][] = [
    ["name", readMember(error, "name")],
    ["message", readMember(error, "message")],
  ];
  for (const name of ["cause", "errors"]) {
    if (Object.hasOwn(error, name)) members.push([name, readMember(error, name)]);
  }
  const known = new Set(["name", "message", "cause", "errors", "stack"]);
  for (const name of Object.keys(error)) {
    if (!known.has(name)) members.push([name, readMember(error, name)]);
  }
  writeMembers(state, members);
}

function writePlain(state: Writing, value: object, tag: string): void {
  const toJson: unknown = readMember(value, "toJSON");
  if (typeof toJson === "function") {
    writeValue(state, (toJson as (this: object) => unknown).call(value));
  } else if (Array.isArray(value)) {
    writeItems(state, value);
  } else {
    const names = Object.keys(value);
    const kind = tag === "Object" ? nameClass(value) : tag;
    // Without members of its own it would look like an empty plain object.
    if (names.length === 0 && kind !== "Object") writeString(state, `[${kind}]`);
    else writeMembers(state, namedMembers(value, names));
  }
}

function* namedMembers(value: object, names: readonly string[]): Iterable<[string, unknown]> {
  for (const name of names) yield [name, readMember(value, name)];
}

function writeMembers(state: Writing, members: Iterable<[string, unknown]>): void {
  write(state, "{");
  let first = true;
  for (const [name, member] of members) {
    if (member === undefined) continue;
    if (!first) write(state, ",");
    first = false;
    writeString(state, name);
    write(state, ":");
    writeValue(state, member);
  }
  write(state, "}");
}

function nameClass(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== "object" || prototype === null) return "Object";
  const constructor: unknown = readMember(prototype, "constructor");
  const name: unknown = typeof constructor === "function" ? readMember(constructor, "name") : undefined;
  return typeof name === "string" && name !== "" ? name : "Object";
}

function readMember(value: object, name: string): unknown {
  return (value as Record<string, unknown>)[name];
}

function describe(error: unknown): string {
  try {
    return error instanceof Error ? error.message.slice(0, 200) : String(error).slice(0, 200);
  } catch {
    return "it throws";
  }
}
