import {
  type Bindings,
  CONTEXT_NAMES,
  createVariableHints,
  inputDeclarations,
  type PromptFile,
  upperFirstName,
  type VariableHint,
  type VariableHints,
} from "@promptfold/templating";

/** What to tell a person of a variable that a prompt file uses and nothing is bound to. */
export interface VariableAdvice extends VariableHints {
  /** What is so, in the words of a check, and what to do. */
  readonly explain: (name: string, after?: string) => { readonly what: string; readonly remedy: string };
}

/** What is known of the variables of a prompt file, however it is personalised. */
export function createVariableAdvice(file: PromptFile, bindings: Bindings): VariableAdvice {
  const { identity, context = {}, templates } = bindings;
  const inputs = inputDeclarations(file);
  const hints = createVariableHints({
    identity,
    context: Object.keys(context),
    inputs,
    templates: templates?.keys(),
  });
  const adviseUndefined = (name: string, hint: VariableHint | undefined): string => {
    if (hint !== undefined) return hint.remedy;
    // A prompt that declares its inputs takes no others.
    return inputs === undefined ? giveIt(name) : `declare ${name} under input or add it to identity`;
  };
  return {
    ...hints,
    explain: (name, after) =>
      hints.isDefined(name)
        ? {
            what: "is not given",
            remedy: giveIt(
              givenAs(
                name,
                inputs?.map((input) => input.name),
              ),
            ),
          }
        : { what: "is not defined", remedy: adviseUndefined(name, hints.hint(name, after)) },
  };
}

function giveIt(name: string): string {
  return `give it with --set ${name}=…`;
}

/** The name that somebody can give: of an uppercase-first version, that which it is derived from. */
export function givenAs(name: string, inputs: readonly string[] = []): string {
  const names = [...inputs, ...CONTEXT_NAMES];
  if (names.includes(name)) return name;
  return names.find((other) => upperFirstName(other) === name) ?? name;
}
