/** What names the script of a reply: this, and the offset of the reply. */
const EXECUTION_PREFIX = "agent-output:";

/** Names the script of the reply at an offset. */
export function executionIdOf(replyOffset: number): string {
  return `${EXECUTION_PREFIX}${replyOffset}`;
}

/** Offset of the reply whose script has this name; undefined for scripts that come from no reply. */
export function replyOffsetOf(executionId: unknown): number | undefined {
  if (typeof executionId !== "string" || !executionId.startsWith(EXECUTION_PREFIX)) return undefined;
  const offset = Number(executionId.slice(EXECUTION_PREFIX.length));
  return Number.isSafeInteger(offset) ? offset : undefined;
}
