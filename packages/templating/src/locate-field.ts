import type { PromptFile } from "./prompt-file.ts";
import { createEntryLocator, type EntrySpan } from "./read-json.ts";
import { isYamlKey, readYamlTree, type YamlTree } from "./read-yaml-nodes.ts";

/** Where a field is written: line and columns from 1, `endColumn` exclusive. */
export interface FieldPlace {
  readonly line: number;
  readonly column: number;
  readonly endColumn?: number;
}

/** A field of the metadata by its name, or the way to what is in one: names and indexes, the field's name first. */
export type FieldPath = string | readonly (string | number)[];

type LocatedFile = Pick<PromptFile, "text" | "frontmatter" | "locate">;

/**
 * Where a field of the metadata is written, not one of the same name inside another, or an entry in it: a member of an
 * object by its name, an element of a list where it begins. For what is not written, such as a name that is missing, the
 * place of what it would be in; the block's first line when that cannot be told.
 */
export function locateField(prompt: LocatedFile, field: FieldPath): FieldPlace {
  return createFieldLocator(prompt)(field);
}

/** {@link locateField} for many fields of one file: the block is read once, when the first is asked for. */
export function createFieldLocator(prompt: LocatedFile): (field: FieldPath) => FieldPlace {
  const { text, frontmatter: block, locate } = prompt;
  if (block === undefined) return () => ({ line: 1, column: 1 });
  const source = text.slice(block.start, block.end);
  let find: FindEntry | undefined;
  return (field) => {
    find ??= block.language === "json" ? createEntryLocator(source) : createYamlLocator(source);
    const path = typeof field === "string" ? [field] : field;
    for (let length = path.length; length > 0; length -= 1) {
      const span = find(path.slice(0, length));
      if (span === undefined) continue;
      const { line, column } = locate(block.start + span.start);
      const [written = ""] = source.slice(span.start, span.end).split("\n", 1);
      return { line, column, endColumn: column + written.trimEnd().length };
    }
    const { line, column } = locate(block.start);
    return { line, column };
  };
}

type FindEntry = (path: readonly (string | number)[]) => EntrySpan | undefined;

function createYamlLocator(source: string): FindEntry {
  const root = readYamlTree(source);
  return (path) => {
    let value = root;
    let entry: YamlTree | undefined;
    for (const part of path) {
      if (value === undefined) return undefined;
      const parent = innermost(value);
      if (Array.isArray(parent.value)) {
        entry = value = typeof part === "number" ? elementAt(parent, part) : undefined;
      } else {
        [entry, value] = memberOf(source, parent, String(part));
      }
    }
    return entry;
  };
}

/** The reader takes an object in braces, or a text, for the first key of an object until it knows better. */
function innermost(node: YamlTree): YamlTree {
  const [only, ...others] = node.children;
  return only !== undefined && others.length === 0 && only.value === node.value ? innermost(only) : node;
}

/** Undefined, too, where the nodes are not the list's elements one for one, as with a pair in it that has no braces. */
function elementAt({ value, children }: YamlTree, index: number): YamlTree | undefined {
  const element = children[index];
  return element !== undefined && Object.is(element.value, (value as unknown[])[index]) ? element : undefined;
}

/** The key of a member, and its value. */
function memberOf(
  source: string,
  { children }: YamlTree,
  name: string,
): [key: YamlTree | undefined, value: YamlTree | undefined] {
  const at = children.findIndex((node) => String(node.value) === name && isYamlKey(source, node));
  if (at === -1) return [undefined, undefined];
  const next = children[at + 1];
  return [children[at], next !== undefined && !isYamlKey(source, next) ? next : undefined];
}
