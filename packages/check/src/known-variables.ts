import {
  CONTEXT_NAMES,
  flattenIdentity,
  inputDeclarations,
  InvalidMetadataError,
  type InputDeclaration,
  type PromptFile,
  upperFirstName,
} from "@promptfold/templating";

/** What a prompt may name: variables without templates, and the inputs that it declares. */
export interface KnownVariables {
  readonly names: ReadonlySet<string>;
  readonly inputs: readonly InputDeclaration[];
}

/** The names that are bound when a prompt is rendered: identity, builders' context, given context, declared inputs. */
export function knownVariables(
  prompt: PromptFile,
  identity: Readonly<Record<string, unknown>>,
  context: Iterable<string>,
): KnownVariables {
  const inputs = readInputs(prompt);
  const names = new Set([...CONTEXT_NAMES, ...context, ...flattenIdentity(identity).variables.keys()]);
  for (const { name } of inputs) names.add(name);
  for (const name of [...names]) names.add(upperFirstName(name));
  return { names, inputs };
}

function readInputs(prompt: PromptFile): readonly InputDeclaration[] {
  try {
    return inputDeclarations(prompt) ?? [];
  } catch (error) {
    // Its type is a finding of the frontmatter's check.
    if (InvalidMetadataError.isInstance(error)) return [];
    throw error;
  }
}
