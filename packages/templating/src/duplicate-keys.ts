import type { FilePlace, PromptLayout } from "./lay-out-pieces.ts";

/** A section whose key stands in the prompt before, at the place in the prompt's own file that brings it in. */
export interface DuplicateKey extends FilePlace {
  readonly key: string | undefined;
  readonly endColumn?: number | undefined;
  /** What is wrong and what to do. */
  readonly message: string;
}

/**
 * The sections of a prompt whose keys stand in it already: a fault of the prompt, also where templates hold the sections,
 * and then at the use that brings the second one in.
 *
 * @param fallbackKey - the key of text outside sections; without one such text counts as of one key, which no section has
 */
export function findDuplicateKeys(layout: PromptLayout, fallbackKey?: string): DuplicateKey[] {
  const first = new Map<string | undefined, number>();
  const found: DuplicateKey[] = [];
  for (const { key: own, tagStart } of layout.spans) {
    // With a fault in the tags, what counts as outside them is a guess.
    if (own === undefined && layout.diagnostics.length > 0) continue;
    const key = own ?? fallbackKey;
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, tagStart);
    else found.push(describe(layout, { key, own, tagStart }, earlier));
  }
  return found;
}

function describe(
  layout: PromptLayout,
  {
    key,
    own,
    tagStart,
  }: { readonly key: string | undefined; readonly own: string | undefined; readonly tagStart: number },
  earlier: number,
): DuplicateKey {
  const tag = layout.locate(tagStart);
  const there = layout.locate(earlier);
  const use = layout.useAt(tagStart);
  const { file, line, column } = use ?? tag;
  const length = use?.raw.length ?? (own === undefined ? undefined : own.length + '<section key="">'.length);
  const lineOf = (at: FilePlace): string => (at.file === file ? `line ${at.line}` : `${at.file}:${at.line}`);
  const through = layout.useAt(earlier);
  const comesThrough = through === undefined ? "" : `through ${through.raw} at ${lineOf(through)}`;

  const what = key === undefined ? "text outside sections" : `section "${key}"`;
  const from = use === undefined ? "" : ` of ${lineOf(tag)}`;
  const loss = key === undefined ? "both would get one key" : "an agent would keep only the last";
  const remedy = key === undefined ? "put it into sections" : "rename one or join them";
  const isSame =
    use !== undefined && tag.file === there.file && tag.line === there.line && tag.column === there.column;
  const message = isSame
    ? `${what}${from} comes in twice, ${comesThrough} and through ${use.raw} here, and ${loss}; use it once`
    : `${what}${from} is already ${key === undefined ? "there" : "defined"} at ${lineOf(there)}` +
      `${comesThrough === "" ? "" : `, ${comesThrough}`}, and ${loss}; ${remedy}`;
  return { key, file, line, column, endColumn: length === undefined ? undefined : column + length, message };
}
