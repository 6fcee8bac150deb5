import type { PromptFile } from "./prompt-file.ts";
import { createMemberLocator } from "./read-json.ts";
import { isYamlKey, readYamlNodes } from "./read-yaml-nodes.ts";

/** Where a field is written: line and columns from 1, `endColumn` exclusive. */
export interface FieldPlace {
  readonly line: number;
  readonly column: number;
  readonly endColumn?: number;
}

type LocatedFile = Pick<PromptFile, "text" | "frontmatter" | "locate">;

/**
 * Where a field of the metadata is written, not one of the same name inside another. The block's first line when it cannot
 * be told.
 */
export function locateField(prompt: LocatedFile, field: string): FieldPlace {
  return createFieldLocator(prompt)(field);
}

/** {@link locateField} for many fields of one file: the block is read once, when the first is asked for. */
export function createFieldLocator(prompt: LocatedFile): (field: string) => FieldPlace {
  const { text, frontmatter: block, locate } = prompt;
  if (block === undefined) return () => ({ line: 1, column: 1 });
  let find: ((field: string) => FieldSpan | undefined) | undefined;
  return (field) => {
    const source = text.slice(block.start, block.end);
    find ??= block.language === "json" ? findJsonField(source) : findYamlField(source);
    const span = find(field);
    const { line, column } = locate(block.start + (span?.start ?? 0));
    return span === undefined
      ? { line, column }
      : { line, column, endColumn: column + span.end - span.start };
  };
}

interface FieldSpan {
  readonly start: number;
  readonly end: number;
}

function findYamlField(source: string): (field: string) => FieldSpan | undefined {
  const fields = new Map<string, FieldSpan>();
  const { closed } = readYamlNodes(source);
  // The reader takes an object in braces for the first key of another until it knows better.
  const top = closed.find(({ value }) => value === closed.at(-1)?.value)?.depth ?? 0;
  for (const node of closed) {
    if (node.depth !== top + 1 || fields.has(String(node.value)) || !isYamlKey(source, node)) continue;
    const written = source.slice(node.start, node.end).split("\n", 1)[0]?.trimEnd() ?? "";
    fields.set(String(node.value), { start: node.start, end: node.start + written.length });
  }
  return (field) => fields.get(field);
}

/** Of a member that occurs twice the last, which is the one that counts. */
function findJsonField(source: string): (field: string) => FieldSpan | undefined {
  const locateMember = createMemberLocator(source);
  return (field) => {
    const start = locateMember([field]);
    if (start === undefined) return undefined;
    const [written = ""] = /^"(?:[^"\\]|\\.)*"/.exec(source.slice(start, start + LONGEST_KEY)) ?? [];
    return { start, end: start + written.length };
  };
}

const LONGEST_KEY = 1000;
