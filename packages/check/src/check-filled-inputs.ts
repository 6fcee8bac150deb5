import {
  createFieldLocator,
  diagnoseVariables,
  flattenIdentity,
  InvalidMetadataError,
  type PromptFile,
} from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";
import type { DeclaredInput } from "./known-variables.ts";
import type { FolderTemplates } from "./read-folder-templates.ts";

/** What may fill an input that its caller does not give. */
export interface InputFillers {
  readonly identity: Readonly<Record<string, unknown>> | undefined;
  readonly templates: FolderTemplates | undefined;
}

/**
 * Tells of inputs whose names the identity or a template has too: these fill them when the caller does not, so that the
 * input is not asked for and its default never taken. It is an error when what fills one is not of its type.
 */
export function checkFilledInputs(
  run: CheckRun,
  prompt: PromptFile,
  inputs: readonly DeclaredInput[],
  { identity = {}, templates }: InputFillers,
): void {
  if (inputs.length === 0) return;
  const { variables } = flattenIdentity(identity);
  const filled = inputs.filter(({ name }) => variables.has(name) || templates?.paths.has(name) === true);
  if (filled.length === 0) return;
  const faults = findFaults(prompt, { identity, templates });
  const locateField = createFieldLocator(prompt);
  for (const { name, path } of filled) {
    if (path === undefined) continue;
    const giver = variables.has(name) ? "the identity" : `the template ${templates?.paths.get(name) ?? name}`;
    const fault = templates?.unreadable.has(name) === true ? undefined : faults.get(name);
    const message =
      fault ??
      `${giver} gives $${name}, and so fills this input when the caller does not, whatever it says of a default; rename one of the two`;
    const severity = fault === undefined ? "warning" : "error";
    run.report({ code: "filled-input", severity, message, file: prompt.file, ...locateField(path) });
  }
}

/** What is wrong with the values of inputs that the caller does not give, by the input's name. */
function findFaults(prompt: PromptFile, { identity, templates }: InputFillers): Map<string, string> {
  try {
    const { problems } = diagnoseVariables(prompt, { identity, templates });
    return new Map(
      problems.filter(({ code }) => code === "ill-typed").map(({ name, message }) => [name, message]),
    );
  } catch (error) {
    // That the inputs cannot be read is told where the metadata is checked.
    if (InvalidMetadataError.isInstance(error)) return new Map();
    throw error;
  }
}
