import { printable } from "@promptfold/contract";
import type { ExplainedSpan } from "@promptfold/templating";

/**
 * A note for each placeholder that nothing is bound to, at its first place: it reaches the model as it stands.
 *
 * @param nearest - which name was most likely meant
 */
export function unboundNotes(
  spans: readonly ExplainedSpan[],
  nearest: (name: string) => string | undefined,
): string[] {
  const first = new Map<string, ExplainedSpan>();
  for (const span of spans) {
    const { unbound } = span;
    if (unbound !== undefined && !first.has(unbound)) first.set(unbound, span);
  }
  return [...first].map(([name, { text, file, line, column }]) => {
    const near = nearest(name);
    const advice = near === undefined ? "give it with --set" : `did you mean $${near}?`;
    return printable(
      `note: ${file}:${line}:${column}: nothing is bound to ${text}; it stays as it is (${advice})`,
    );
  });
}
