import type { ExplainedSpan } from "@promptfold/templating";
import type { VariableAdvice } from "../input/variable-advice.ts";
import { formatNote } from "../terminal/say-note.ts";

/** A note for each placeholder that nothing is bound to, at its first place: it reaches the model as it stands. */
export function unboundNotes(
  spans: readonly ExplainedSpan[],
  { explain }: Pick<VariableAdvice, "explain">,
): string[] {
  const first = new Map<string, { readonly span: ExplainedSpan; readonly after: string }>();
  for (const [index, span] of spans.entries()) {
    if (span.unbound === undefined || first.has(span.unbound)) continue;
    const next = spans[index + 1];
    const isText = next?.file === span.file && next.variable === undefined && !span.text.endsWith("}");
    first.set(span.unbound, { span, after: isText ? next.text : "" });
  }
  return [...first].map(([name, { span, after }]) => {
    const { what, remedy } = explain(name, after);
    const place = `${span.file}:${span.line}:${span.column}`;
    return formatNote(place, `$${name} ${what} and stays as it is; ${remedy}`);
  });
}
