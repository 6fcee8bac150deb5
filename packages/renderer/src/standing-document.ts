import type { ContextItem, SectionItem } from "@promptfold/contract";

/**
 * The sections that the standing document is made of: the leading run of items, up to the first message, request item
 * or section with `supersedes`.
 */
export function standingSections(items: Iterable<ContextItem>): SectionItem[] {
  const sections: SectionItem[] = [];
  for (const item of items) {
    if (item.kind !== "section" || item.supersedes !== undefined) break;
    sections.push(item);
  }
  return sections;
}
