import type { FilePlace, PromptLayout } from "./lay-out-pieces.ts";
import { openingTagLength } from "./opening-tag-length.ts";

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
  const uses = layout.usesAt(tagStart);
  const [use] = uses;
  const { file, line, column } = use ?? tag;
  const length = use?.raw.length ?? (own === undefined ? undefined : openingTagLength(own));
  const lineOf = (at: FilePlace): string => (at.file === file ? `line ${at.line}` : `${at.file}:${at.line}`);
  const usesBefore = layout.usesAt(earlier);
  // Up to where the two ways part, they are one.
  const parting = uses.findIndex((one, index) => !isSamePlace(one, usesBefore[index]));
  const through = usesBefore[Math.max(parting, 0)];
  const isOneWay = uses.length > 0 && parting === -1;
  const comesThrough =
    through === undefined || isOneWay ? "" : `through ${through.raw} at ${lineOf(through)}`;

  const what = key === undefined ? "text outside sections" : `section "${key}"`;
  const from = use === undefined ? "" : ` of ${lineOf(tag)}`;
  const loss = key === undefined ? "both would get one key" : "an agent would keep only the last";
  const remedy =
    own === undefined
      ? "put it into sections (to mention a section tag in text, write &lt;section)"
      : "rename one or join them";
  const comesHere = parting > 0 ? uses[parting] : undefined;
  const here =
    comesHere === undefined ? `${use?.raw ?? ""} here` : `${comesHere.raw} at ${lineOf(comesHere)}`;
  const message =
    use !== undefined && comesThrough !== "" && isSamePlace(tag, there)
      ? `${what}${from} comes in twice, ${comesThrough} and through ${here}, and ${loss}; use it once`
      : `${what}${from} is already ${key === undefined ? "there" : "defined"} at ${lineOf(there)}` +
        `${comesThrough === "" ? "" : `, ${comesThrough}`}, and ${loss}; ${remedy}`;
  return { key, file, line, column, endColumn: length === undefined ? undefined : column + length, message };
}

function isSamePlace(one: FilePlace, other: FilePlace | undefined): boolean {
  return one.file === other?.file && one.line === other.line && one.column === other.column;
}
