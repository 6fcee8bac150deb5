import type { ContextItem, SectionItem } from "@promptfold/contract";

/**
 * How many items the standing document takes: the leading run of sections, up to the first message, request item or
 * section with `supersedes`.
 */
export function standingDocumentLength(items: readonly ContextItem[]): number {
  const end = items.findIndex((item) => !isStanding(item));
  return end === -1 ? items.length : end;
}

/** Whether a section item can belong to the leading run. */
export function isStanding(item: ContextItem): item is SectionItem {
  return item.kind === "section" && item.supersedes === undefined;
}
