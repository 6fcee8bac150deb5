import { createNameHints, type ExplainedSpan, listUses } from "@promptfold/templating";
import type { AuthoredLayout } from "../input/lay-out-prompt.ts";
import { createVariableAdvice } from "../input/variable-advice.ts";
import type { BoundPrompt, PromptOptions } from "../input/prompt-options.ts";
import { formatNote } from "../terminal/say-note.ts";
import { layoutNotes } from "./layout-notes.ts";
import { unboundNotes } from "./unbound-notes.ts";

/** What a person may want to know of a prompt that is rendered or appended, one line each. */
export function promptNotes(
  prompt: BoundPrompt,
  { layout, spans }: { readonly layout: AuthoredLayout; readonly spans: readonly ExplainedSpan[] },
  { set = [] }: PromptOptions,
): string[] {
  const { file, bindings, outside } = prompt;
  const advice = createVariableAdvice(file, bindings);
  const unbound = unboundNotes(spans, advice);
  return [
    ...layoutNotes(layout, advice),
    ...unbound,
    ...(unbound.length === 0 || outside === undefined ? [] : [formatNote(file.file, outside)]),
    ...unusedNotes(prompt, set),
  ];
}

/** A note for each variable that is given by name and that the prompt does not use. */
function unusedNotes({ file, bindings }: BoundPrompt, set: readonly string[]): string[] {
  if (set.length === 0) return [];
  const used = new Set<string>();
  for (const { name, derivedFrom } of listUses(file, bindings)) used.add(derivedFrom ?? name).add(name);
  const nearest = createNameHints(() => used);
  const given = new Set(set.map((setting) => setting.slice(0, setting.indexOf("="))));
  return [...given]
    .filter((name) => !used.has(name))
    .map((name) => {
      const near = nearest(name);
      const advice =
        near === undefined ? "leave it out, or write it into the prompt" : `did you mean ${near}?`;
      return formatNote(`--set ${name}`, `the prompt does not use $${name}; ${advice}`);
    });
}
