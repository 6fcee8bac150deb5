/** How much of an error's words is kept. */
const LONGEST_DESCRIPTION = 2_000;

/** An error in words, whatever was thrown, for a record or a log. */
export function describeError(error: unknown): string {
  try {
    return (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_DESCRIPTION);
  } catch {
    return "an error that cannot be shown";
  }
}
