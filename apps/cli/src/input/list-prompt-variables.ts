import {
  type Bindings,
  diagnoseVariables,
  explainName,
  type InputDeclaration,
  inputDeclarations,
  listUses,
  type PromptFile,
  type Tier,
  unusableNames,
  type VariableHint,
  type VariableHints,
  variableNames,
  type VariableProblem,
  type VariableUse,
} from "@promptfold/templating";
import { createVariableAdvice, givenAs } from "./variable-advice.ts";

/** A variable that a prompt file uses or could use. */
export interface PromptVariable {
  readonly name: string;
  /** Where it comes from; null when it is used or required and nobody gives it. */
  readonly tier: Tier | null;
  /** Absent for a template, and for what nobody gives. */
  readonly value?: string;
  /** The variable whose uppercase-first version it is. */
  readonly derivedFrom?: string;
  /** What the prompt declares of it. */
  readonly input?: Omit<InputDeclaration, "name">;
  /** Whether the context builders give it when the prompt runs. */
  readonly isBuilt?: true;
  /** Of a name that nothing defines: the name that was most likely meant. */
  readonly near?: string;
  /** Of a name that nothing defines, or that no prompt can write: what to do. */
  readonly remedy?: string;
  readonly uses: readonly { readonly file: string; readonly line: number; readonly column: number }[];
}

/**
 * The variables of a prompt file: those that are bound, and those that are used or declared and not bound. An
 * uppercase-first version is listed when it is used. In the order of precedence, then by first use, then as they were given.
 *
 * @returns with the problems that are no missing inputs, which are listed instead
 */
export function listPromptVariables(
  file: PromptFile,
  bindings: Bindings,
): { readonly variables: readonly PromptVariable[]; readonly problems: readonly VariableProblem[] } {
  const { variables, problems } = diagnoseVariables(file, bindings);
  const uses = new Map<string, VariableUse[]>();
  for (const use of listUses(file, bindings)) uses.set(use.name, [...(uses.get(use.name) ?? []), use]);
  const inputs = new Map((inputDeclarations(file) ?? []).map(({ name, ...input }) => [name, input]));
  const names = new Set([...uses.keys(), ...inputs.keys()]);
  for (const { name, derivedFrom } of variables.all.values()) if (derivedFrom === undefined) names.add(name);
  for (const name of bindings.templates?.keys() ?? []) names.add(name);

  const built = variableNames({});
  const { hint } = createVariableAdvice(file, bindings);
  const { identity, templates, context = {} } = bindings;
  const unusable = new Map(
    unusableNames({
      identity,
      templates: templates?.keys(),
      context: Object.keys(context),
      inputs: [...inputs.keys()].map((name) => ({ name })),
    }).map(({ name, remedy }) => [name, remedy]),
  );
  const listed = [...names].map((name): PromptVariable => {
    const variable = variables.get(name);
    const isTemplate = variable === undefined && bindings.templates?.has(name) === true;
    const origin = givenAs(name, [...inputs.keys()]);
    const isUnbound = variable === undefined && !isTemplate;
    const input = inputs.get(isUnbound ? origin : name);
    const meant = isUnbound ? hintAtUses(name, uses.get(name) ?? [], hint) : undefined;
    const remedy = meant?.remedy ?? unusable.get(name) ?? explainName(name);
    const derivedFrom = variable?.derivedFrom ?? (isUnbound && origin !== name ? origin : undefined);
    return {
      name,
      tier: variable?.tier ?? (isTemplate ? "template" : null),
      ...(variable === undefined ? {} : { value: variable.value }),
      ...(derivedFrom === undefined ? {} : { derivedFrom }),
      ...(input === undefined ? {} : { input }),
      ...(isUnbound && built.has(name) ? { isBuilt: true } : {}),
      ...(meant?.near === undefined ? {} : { near: meant.near }),
      ...(remedy === undefined ? {} : { remedy }),
      uses: (uses.get(name) ?? []).map(({ file: at, line, column }) => ({ file: at, line, column })),
    };
  });
  const order: readonly (Tier | null)[] = ["context", "identity", "template", "default", null];
  return {
    variables: order.flatMap((tier) => listed.filter((variable) => variable.tier === tier)),
    problems: problems.filter(({ code }) => code !== "missing"),
  };
}

/** What to do about a name, as a check and a preview say at its first use that tells what was meant. */
function hintAtUses(
  name: string,
  uses: readonly VariableUse[],
  hint: VariableHints["hint"],
): VariableHint | undefined {
  for (const { after } of uses) {
    const found = hint(name, after);
    if (found !== undefined) return found;
  }
  return hint(name);
}
