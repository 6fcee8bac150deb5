import { isPlainObject } from "@promptfold/contract";
import {
  asVariableName,
  createVariableHints,
  diagnoseFences,
  isVariableName,
  type PromptFile,
  type VariableHints,
} from "@promptfold/templating";

/** What a prompt may name. */
export interface KnownVariables extends VariableHints {
  readonly inputs: readonly DeclaredInput[];
  /** Whether these are all; else a fault already told hides others, and of no name it can be said that it is undefined. */
  readonly isComplete: boolean;
}

/** An input that a prompt declares, be what it says of it right or not. */
export interface DeclaredInput {
  readonly name: string;
  /** Where the name stands in the metadata; undefined when it is written there otherwise, which is a fault already told. */
  readonly path: readonly (string | number)[] | undefined;
}

/**
 * What a prompt may name: identity, builders' context, given context, declared inputs, templates.
 *
 * @param identity - undefined when it cannot be read
 */
export function knownVariables(
  prompt: PromptFile,
  {
    identity,
    context,
    templates,
  }: {
    readonly identity: Readonly<Record<string, unknown>> | undefined;
    readonly context: Iterable<string>;
    readonly templates: { readonly keys: () => Iterable<string> } | undefined;
  },
): KnownVariables {
  const { inputs, areAll } = declaredInputs(prompt);
  const hints = createVariableHints({ identity, context, inputs, templates: templates?.keys() });
  // Inputs may stand in a block that is none; what is said of one that is read hides nothing.
  const isBlockRead = prompt.frontmatter !== undefined || diagnoseFences(prompt).length === 0;
  const isComplete = identity !== undefined && areAll && isBlockRead;
  return { ...hints, inputs, isComplete };
}

/** The names that can be read, whatever else is wrong with the inputs, which the check of the frontmatter tells. */
function declaredInputs({ metadata }: PromptFile): {
  readonly inputs: readonly DeclaredInput[];
  readonly areAll: boolean;
} {
  if (!Object.hasOwn(metadata, "input")) return { inputs: [], areAll: true };
  const { input } = metadata;
  const entries = Array.isArray(input)
    ? input.map((entry: unknown, index) => listedInput(entry, index))
    : isPlainObject(input)
      ? Object.keys(input).map((name) => readName(name, ["input", name]))
      : [undefined];
  const inputs = entries.filter((entry) => entry !== undefined);
  return { inputs, areAll: inputs.length === entries.length };
}

function listedInput(entry: unknown, index: number): DeclaredInput | undefined {
  if (!isPlainObject(entry)) return readName(entry, undefined);
  return readName(Object.hasOwn(entry, "name") ? entry["name"] : undefined, ["input", index, "name"]);
}

function readName(name: unknown, path: DeclaredInput["path"]): DeclaredInput | undefined {
  if (typeof name !== "string") return undefined;
  if (isVariableName(name)) return { name, path };
  const meant = asVariableName(name);
  return meant === undefined ? undefined : { name: meant, path: undefined };
}
