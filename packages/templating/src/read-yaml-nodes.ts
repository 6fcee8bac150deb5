import { CORE_SCHEMA, load } from "js-yaml";

/** A node of a YAML text: a scalar, a list, an object, or an alias of one. Offsets count from 0. */
export interface YamlNode {
  readonly start: number;
  /** Exclusive; blanks may come before it. */
  readonly end: number;
  /** How many nodes hold it; 0 for the outermost. */
  readonly depth: number;
  readonly value: unknown;
}

/**
 * The nodes of a YAML text as its reader meets them: those that ended, in the order in which they did, and where those begin
 * that are open when reading fails, the innermost last.
 */
export function readYamlNodes(source: string): {
  readonly closed: readonly YamlNode[];
  readonly open: readonly number[];
} {
  const closed: YamlNode[] = [];
  const open: number[] = [];
  try {
    load(source, {
      schema: CORE_SCHEMA,
      listener: (type, { position, result }) => {
        if (type === "open") {
          open.push(position);
          return;
        }
        const start = skipSpace(source, open.pop() ?? 0);
        closed.push({ start, end: Math.max(start, position), depth: open.length, value: result as unknown });
      },
    });
  } catch {
    // Its fault is for whoever reads the text for its data.
  }
  return { closed, open };
}

/** Whether a node is the key of a pair. */
export function isYamlKey(source: string, { start, end }: YamlNode): boolean {
  if (/^[ \t]*:/.test(source.slice(end, end + 1000))) return true;
  // The explicit form: a question mark, and the key after it.
  return /(?:^|[\s[{,])\?\s+$/.test(source.slice(Math.max(0, start - 1000), start));
}

/** The first offset from `from` on at which something stands. */
export function skipSpace(source: string, from: number): number {
  let at = from;
  while (/\s/.test(source.charAt(at))) at += 1;
  return at;
}

/** A node with those that it holds, in the order in which they are written. */
export interface YamlTree extends YamlNode {
  readonly children: readonly YamlTree[];
}

/** The outermost node of a YAML text with all that it holds; undefined when the text cannot be read. */
export function readYamlTree(source: string): YamlTree | undefined {
  // A node ends after all that it holds did.
  const waiting: YamlTree[][] = [];
  for (const node of readYamlNodes(source).closed) {
    const children = waiting[node.depth + 1] ?? [];
    waiting[node.depth + 1] = [];
    (waiting[node.depth] ??= []).push({ ...node, children });
  }
  return waiting[0]?.at(-1);
}
