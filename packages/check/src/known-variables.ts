import {
  diagnoseFences,
  inputDeclarations,
  InvalidMetadataError,
  type InputDeclaration,
  type PromptFile,
  variableNames,
} from "@promptfold/templating";

/** What a prompt may name: variables without templates, and the inputs that it declares. */
export interface KnownVariables {
  readonly names: ReadonlySet<string>;
  readonly inputs: readonly InputDeclaration[];
  /** Whether these are all; else a fault already told hides others, and of no name it can be said that it is undefined. */
  readonly isComplete: boolean;
}

/**
 * The names that are bound when a prompt is rendered: identity, builders' context, given context, declared inputs.
 *
 * @param identity - undefined when it cannot be read
 */
export function knownVariables(
  prompt: PromptFile,
  identity: Readonly<Record<string, unknown>> | undefined,
  context: Iterable<string>,
): KnownVariables {
  const inputs = readInputs(prompt);
  const names = variableNames({ identity, context, inputs });
  const isComplete = identity !== undefined && inputs !== undefined && diagnoseFences(prompt).length === 0;
  return { names, inputs: inputs ?? [], isComplete };
}

/** Undefined when they cannot be read. */
function readInputs(prompt: PromptFile): readonly InputDeclaration[] | undefined {
  try {
    return inputDeclarations(prompt) ?? [];
  } catch (error) {
    // Its type is a finding of the frontmatter's check.
    if (InvalidMetadataError.isInstance(error)) return undefined;
    throw error;
  }
}
