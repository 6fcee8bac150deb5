/** Trims each part and joins those that are not blank by one blank line. */
export function joinProse(parts: readonly string[]): string {
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Adds the joined parts as `prose`, unless they are blank. */
export function withProse<Reply extends object>(
  reply: Reply,
  parts: readonly string[],
): Reply & { prose?: string } {
  const prose = joinProse(parts);
  return prose === "" ? reply : { ...reply, prose };
}
