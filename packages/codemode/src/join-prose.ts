/** Trims each part and joins those that are not blank by one blank line. */
export function joinProse(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}
