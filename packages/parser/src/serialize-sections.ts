import { isSectionKey } from "@promptfold/contract";
import { InvalidSectionKeyError } from "./errors.ts";
import { escapeTags } from "./escape-tags.ts";
import type { Section } from "./section.ts";

/**
 * Writes sections as text: `<section key="K">`, the content and `</section>` on lines of their own, a blank line
 * between two sections, no final newline. A literal tag in content is written `&lt;section …`, so no content can close
 * its section or forge another. Parsing the result gives the sections back when their contents are canonical (LF, no
 * blank line first, no white space last) and there is at least one.
 *
 * @throws InvalidSectionKeyError
 */
export function serializeSections(sections: Iterable<Section>): string {
  const parts: string[] = [];
  for (const { key, content } of sections) {
    if (!isSectionKey(key)) throw new InvalidSectionKeyError(key);
    parts.push(`<section key="${key}">\n${escapeTags(content)}\n</section>`);
  }
  return parts.join("\n\n");
}
