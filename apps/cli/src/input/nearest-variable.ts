import {
  type Bindings,
  CONTEXT_NAMES,
  diagnoseVariables,
  inputDeclarations,
  nearestName,
  type PromptFile,
  upperFirstName,
} from "@promptfold/templating";

/** So many unknown names are no slips, and comparing each with all others takes time. */
const MOST_HINTS = 100;

/** Tells of a name that nothing is bound to which name of those that a prompt file could use was most likely meant. */
export function nearestVariable(file: PromptFile, bindings: Bindings): (name: string) => string | undefined {
  let names: Set<string> | undefined;
  let asked = 0;
  return (name) => {
    names ??= usableNames(file, bindings);
    if (names.has(name)) return undefined;
    asked += 1;
    return asked > MOST_HINTS ? undefined : nearestName(name, names);
  };
}

function usableNames(file: PromptFile, bindings: Bindings): Set<string> {
  const variables = [
    ...diagnoseVariables(file, bindings).variables.all.keys(),
    ...(inputDeclarations(file) ?? []).map(({ name }) => name),
    ...CONTEXT_NAMES,
  ];
  return new Set([...variables, ...(bindings.templates?.keys() ?? []), ...variables.map(upperFirstName)]);
}
