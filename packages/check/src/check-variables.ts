import {
  checkMetadata,
  createFieldLocator,
  type FilePlace,
  findMalformedPlaceholders,
  type Piece,
  type PromptFile,
  type TemplateUse,
  type Token,
} from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";
import type { KnownVariables } from "./known-variables.ts";
import type { FolderTemplates } from "./read-folder-templates.ts";
import type { UndefinedUses } from "./undefined-uses.ts";

/** What stands around a prompt, and what is found out about it while prompts are checked. */
export interface VariableSurroundings {
  readonly templates: FolderTemplates | undefined;
  /** The names that prompts use, templates' included. */
  readonly named: Set<string>;
  readonly undefinedUses: UndefinedUses;
  /** The names that no prompt can write, of which it was told where one tries to. */
  readonly toldUnusable: Set<string>;
}

/** Checks the placeholders of an expanded prompt: each is defined and well formed, and each declared input is used. */
export function checkVariables(
  run: CheckRun,
  prompt: PromptFile,
  pieces: readonly Piece[],
  known: KnownVariables,
  surroundings: VariableSurroundings,
): void {
  const used = new Set<string>();
  for (const piece of pieces) {
    for (let use: TemplateUse | undefined = piece.usedBy; use !== undefined; use = use.usedBy)
      used.add(use.name);
    for (const token of piece.tokens) {
      if (token.name === undefined) continue;
      used.add(token.name);
      if (known.isComplete && !known.isDefined(token.name))
        noteUndefined({ prompt, piece, token, name: token.name }, known, surroundings);
    }
  }
  for (const name of used) surroundings.named.add(name);
  checkMalformed(run, pieces, known, surroundings);
  checkInputs(run, prompt, { known, used }, surroundings.templates);
}

interface PlacedToken {
  readonly piece: Piece;
  readonly token: Token;
}

function placeOf({ piece: { source }, token }: PlacedToken): FilePlace {
  return { file: source.file, ...source.locate(source.bodyStart + token.start) };
}

function noteUndefined(
  { prompt, name, ...placed }: PlacedToken & { readonly prompt: PromptFile; readonly name: string },
  known: KnownVariables,
  { undefinedUses, toldUnusable }: VariableSurroundings,
): void {
  const { raw, start } = placed.token;
  const end = start + raw.length;
  const after = raw.endsWith("}") ? "" : placed.piece.source.body.slice(end);
  const hint = known.hint(name, after);
  if (hint?.unusable !== undefined) toldUnusable.add(hint.unusable.name);
  undefinedUses.add({ name, raw, place: placeOf(placed), prompt: prompt.file, hint });
}

function checkInputs(
  run: CheckRun,
  prompt: PromptFile,
  { known, used }: { readonly known: KnownVariables; readonly used: ReadonlySet<string> },
  templates: FolderTemplates | undefined,
): void {
  // A template that cannot be read may use them.
  if (templates !== undefined && templates.unreadable.size > 0) return;
  const usedInAnyCase = new Set([...used].map((name) => name.toLowerCase()));
  const locateField = createFieldLocator(prompt);
  const told = new Set<string>();
  // What is wrong with a whole entry may be that it is none.
  const faulty = new Set(faultyInputs(prompt));
  for (const { name, path } of known.inputs) {
    if (
      path === undefined ||
      faulty.has(String(path[1])) ||
      told.has(name) ||
      usedInAnyCase.has(name.toLowerCase())
    )
      continue;
    told.add(name);
    run.report({
      code: "unused-input",
      severity: "warning",
      message: `input ${name} is declared and never used; use $${name} in the text or remove the declaration`,
      file: prompt.file,
      ...locateField(path),
    });
  }
}

function* faultyInputs({ metadata }: PromptFile): Generator<string, void, undefined> {
  if (!Object.hasOwn(metadata, "input")) return;
  for (const { path } of checkMetadata({ input: metadata["input"] })) {
    if (path.length === 2) yield String(path[1]);
  }
}

function checkMalformed(
  run: CheckRun,
  pieces: readonly Piece[],
  known: KnownVariables,
  { toldUnusable }: VariableSurroundings,
): void {
  const remedyFor = (inside: string): string | undefined => {
    const hint = known.hintInBraces(inside);
    if (hint?.unusable !== undefined) toldUnusable.add(hint.unusable.name);
    return hint?.remedy;
  };
  for (const malformed of findMalformedPlaceholders(pieces, remedyFor))
    run.report({ code: "malformed-placeholder", severity: "warning", ...malformed });
}
