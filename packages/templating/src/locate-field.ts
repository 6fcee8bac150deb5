import type { PromptFile } from "./prompt-file.ts";

/**
 * Where a field of the metadata is written: line and columns from 1, `endColumn` exclusive. The block's first line when it
 * cannot be told.
 */
export function locateField(
  prompt: Pick<PromptFile, "text" | "frontmatter" | "locate">,
  field: string,
): { readonly line: number; readonly column: number; readonly endColumn?: number } {
  const block = prompt.frontmatter;
  if (block === undefined) return { line: 1, column: 1 };
  let offset = block.start;
  for (const line of prompt.text.slice(block.start, block.end).split("\n")) {
    const match = /^([\s{]*)("[^"]*"|'[^']*'|[^\s:"'][^:]*):/.exec(line.slice(0, 1000));
    const [, indent = "", written = ""]: (string | undefined)[] = match ?? [];
    const key = written.trimEnd();
    if (key === field || (/^["']/.test(key) && key.slice(1, -1) === field)) {
      const { line: at, column } = prompt.locate(offset + indent.length);
      return { line: at, column, endColumn: column + key.length };
    }
    offset += line.length + 1;
  }
  const { line, column } = prompt.locate(block.start);
  return { line, column };
}
