import { parse } from "@humanwhocodes/momoa";
import type { PromptFile } from "./prompt-file.ts";
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
  let spans: ReadonlyMap<string, FieldSpan> | undefined;
  return (field) => {
    const source = text.slice(block.start, block.end);
    spans ??= block.language === "json" ? readJsonFields(source) : readYamlFields(source);
    const span = spans.get(field);
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

function readYamlFields(source: string): Map<string, FieldSpan> {
  const fields = new Map<string, FieldSpan>();
  const { closed } = readYamlNodes(source);
  // The reader takes an object in braces for the first key of another until it knows better.
  const top = closed.find(({ value }) => value === closed.at(-1)?.value)?.depth ?? 0;
  for (const node of closed) {
    if (node.depth !== top + 1 || fields.has(String(node.value)) || !isYamlKey(source, node)) continue;
    const written = source.slice(node.start, node.end).split("\n", 1)[0]?.trimEnd() ?? "";
    fields.set(String(node.value), { start: node.start, end: node.start + written.length });
  }
  return fields;
}

/** Of a member that occurs twice the last, which is the one that counts. */
function readJsonFields(source: string): Map<string, FieldSpan> {
  const fields = new Map<string, FieldSpan>();
  try {
    const { body } = parse(source, { mode: "json" });
    if (body.type !== "Object") return fields;
    for (const { name } of body.members) {
      const span = { start: name.loc.start.offset, end: name.loc.end.offset };
      fields.set(name.type === "String" ? name.value : name.name, span);
    }
  } catch {
    // Its fault is for whoever reads the block for its data.
  }
  return fields;
}
