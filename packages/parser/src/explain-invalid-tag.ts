import { isSectionKey } from "@promptfold/contract";
import { OPENING } from "./tag-grammar.ts";

/** How much of a text is looked at for what its author meant. */
const LONGEST_TAG = 200;

/** What to say of the opening tag at an offset that has another form than the one there is: what to write instead. */
export function explainInvalidTag(text: string, offset: number): string {
  const tag = text.slice(offset + OPENING.length, offset + OPENING.length + LONGEST_TAG);
  const key = meantKey(tag);
  if (key === undefined) return 'an opening section tag names its key; write <section key="…">';
  if (isSectionKey(key)) {
    const quotes = CURVED_VALUE.test(tag) ? ", with straight quotes" : "";
    return `no section opens this way; write <section key="${key}">${quotes}`;
  }
  return 'a key is not empty, not *, and has no ", <, > and control characters; correct it';
}

/** A value in the quotes that text programs make of straight ones. */
const CURVED_VALUE = /^[^>\n]*?=\s*[“”„‟‘’‚‛«»]/;

/** The value of `key`, else of `name` or `id`, else the first: quoted, in any quotes, or a bare word. */
function meantKey(attributes: string): string | undefined {
  const values = new Map<string, string>();
  const attribute =
    /\s+(?:([\w-]{1,50})\s*=\s*)?(?:"([^"\n]*)"|'([^'\n]*)'|[“”„‟‘’‚‛«»]([^“”„‟‘’‚‛«»"'<>\n]*)[“”„‟‘’‚‛«»"']?|["']?([^\s"'<>=/]+))/y;
  for (let match = attribute.exec(attributes); match !== null; match = attribute.exec(attributes)) {
    const [, name = "", inDouble, inSingle, inCurved, bare] = match;
    if (!values.has(name)) values.set(name, inDouble ?? inSingle ?? inCurved?.trim() ?? bare ?? "");
  }
  return (
    ["key", "name", "id"].map((name) => values.get(name)).find((value) => value !== undefined) ??
    [...values.values()][0]
  );
}
