import {
  createFieldLocator,
  createNameHints,
  type FilePlace,
  type Piece,
  type PromptFile,
} from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";
import type { KnownVariables } from "./known-variables.ts";
import type { FolderTemplates } from "./read-folder-templates.ts";

/** What stands around a prompt. */
export interface VariableSurroundings {
  readonly templates: FolderTemplates | undefined;
  /** What to do about a variable that is not defined and looks like none that is. */
  readonly advise: (name: string) => string;
}

/** Checks the placeholders of an expanded prompt: each is defined and well formed, and each declared input is used. */
export function checkVariables(
  run: CheckRun,
  prompt: PromptFile,
  pieces: readonly Piece[],
  known: KnownVariables,
  { templates, advise }: VariableSurroundings,
): void {
  const nearest = createNameHints(() => [...known.names, ...(templates?.keys() ?? [])]);
  const used = new Set<string>();
  for (const { source, tokens } of pieces) {
    for (const token of tokens) {
      const at = (offset: number): FilePlace => ({
        file: source.file,
        ...source.locate(source.bodyStart + token.start + offset),
      });
      if (token.name === undefined) {
        if (!token.dollar) checkMalformed(run, token.raw, at);
        continue;
      }
      used.add(token.name);
      if (!known.isComplete || known.names.has(token.name)) continue;
      const near = nearest(token.name);
      const advice = near === undefined ? advise(token.name) : `did you mean $${near}?`;
      reportUndefined(run, token.name, token.raw, at(0), advice);
    }
  }
  // A template that cannot be read may use them.
  if (templates !== undefined && templates.unreadable.size > 0) return;
  const usedInAnyCase = new Set([...used].map((name) => name.toLowerCase()));
  const locateField = createFieldLocator(prompt);
  const isList = Array.isArray(prompt.metadata["input"]);
  for (const [index, { name }] of known.inputs.entries()) {
    if (usedInAnyCase.has(name.toLowerCase())) continue;
    run.report({
      code: "unused-input",
      severity: "warning",
      message: `input ${name} is declared and never used; use $${name} in the text or remove the declaration`,
      file: prompt.file,
      ...locateField(isList ? ["input", index, "name"] : ["input", name]),
    });
  }
}

function reportUndefined(run: CheckRun, name: string, raw: string, place: FilePlace, advice: string): void {
  run.report({
    code: "undefined-variable",
    severity: "error",
    message: `$${name} is not defined; ${advice} (for a literal dollar write $$)`,
    ...place,
    endColumn: place.column + raw.length,
  });
}

/** Braces that hold no name stay in the text as they are, which is seldom what was meant. */
function checkMalformed(run: CheckRun, text: string, at: (offset: number) => FilePlace): void {
  for (const match of text.matchAll(/\$\{([^{}\n$]{0,100})\}/g)) {
    const place = at(match.index);
    run.report({
      code: "malformed-placeholder",
      severity: "warning",
      message: `${match[0]} is not a placeholder and stays as it is; a name has letters, digits and underscores (for a literal dollar write $$)`,
      ...place,
      endColumn: place.column + match[0].length,
    });
  }
}
