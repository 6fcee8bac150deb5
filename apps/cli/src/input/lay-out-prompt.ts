import { formatPlace } from "@promptfold/parser";
import {
  type Bindings,
  bindVariables,
  expandTemplates,
  findDuplicateKeys,
  layOutPieces,
  type Piece,
  type PromptFile,
  type PromptLayout,
} from "@promptfold/templating";
import { InputError } from "../errors.ts";

/** A prompt's sections, and the files that they were written in. */
export interface AuthoredLayout extends PromptLayout {
  /** The prompt file first, then the templates that it uses. */
  readonly files: readonly PromptFile[];
  readonly pieces: readonly Piece[];
}

/** The sections of a prompt's authored text, templates in place, with their places in the author's files. */
export function layOutPrompt(file: PromptFile, bindings: Bindings): AuthoredLayout {
  const variables = bindVariables(file, bindings);
  const isBound = (name: string): boolean => variables.get(name) !== undefined;
  const pieces = expandTemplates(file, bindings.templates, isBound);
  const files = new Map([file, ...pieces.map(({ source }) => source)].map((source) => [source.file, source]));
  return { ...layOutPieces(pieces), files: [...files.values()], pieces };
}

/** @throws InputError with both places of the first key that occurs twice; `fallbackKey` is that of text outside sections */
export function refuseDuplicateKeys(layout: PromptLayout, fallbackKey: string): void {
  const [fault] = findDuplicateKeys(layout, fallbackKey);
  if (fault !== undefined) throw new InputError(`${formatPlace(fault)}: ${fault.message}`);
}
