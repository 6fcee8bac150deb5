import {
  type Bindings,
  createNameHints,
  inputDeclarations,
  type PromptFile,
  variableNames,
} from "@promptfold/templating";

/** Tells of a name that nothing is bound to which name of those that a prompt file could use was most likely meant. */
export function nearestVariable(file: PromptFile, bindings: Bindings): (name: string) => string | undefined {
  let names: ReadonlySet<string> | undefined;
  const usable = (): ReadonlySet<string> => (names ??= usableNames(file, bindings));
  const nearest = createNameHints(usable);
  return (name) => (usable().has(name) ? undefined : nearest(name));
}

function usableNames(file: PromptFile, { identity, context = {}, templates }: Bindings): Set<string> {
  const inputs = inputDeclarations(file);
  const names = variableNames({ identity, context: Object.keys(context), inputs });
  return new Set([...names, ...(templates?.keys() ?? [])]);
}
