import { CONTEXT_NAMES } from "./context/context-names.ts";
import { describeValue } from "./describe-value.ts";
import { InvalidVariableError, type VariableProblem } from "./errors.ts";
import { flattenIdentity, identityPath } from "./identity.ts";
import { type InputDeclaration, inputDeclarations } from "./metadata.ts";
import { hasType, type InputType } from "./metadata-schema.ts";
import { createNameHints } from "./nearest-name.ts";
import { asTemplate, type PromptFile } from "./prompt-file.ts";
import { explainUnusable, formatValue, type Value } from "./substitute.ts";

/** Where a variable comes from, highest precedence first. `default` is a declared input that nobody gave. */
export type Tier = "context" | "identity" | "template" | "default";

/** A variable with its value. `derivedFrom` names the variable whose uppercase-first version it is. */
export interface Variable {
  readonly name: string;
  readonly value: string;
  readonly tier: Exclude<Tier, "template">;
  readonly derivedFrom?: string;
}

/** Templates by name; a `Map` is one. */
export interface Templates {
  get: (name: string) => PromptFile | undefined;
  has: (name: string) => boolean;
  keys: () => Iterable<string>;
}

/** What a prompt file is personalised with. Context beats identity, identity beats templates. */
export interface Bindings {
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  readonly identity?: Readonly<Record<string, unknown>> | undefined;
  readonly templates?: Templates | undefined;
}

/** The variables that hold for one file. */
export interface BoundVariables {
  /** The variable of that name; undefined for a template and for a name that nothing is bound to. */
  get: (name: string) => Variable | undefined;
  /** Every variable, uppercase-first versions included. */
  readonly all: ReadonlyMap<string, Variable>;
}

/**
 * Resolves the variables of a file: context, identity, the uppercase-first version of each, and the declared inputs'
 * defaults. An explicit variable or template wins over an uppercase-first version of the same name. Values are read when
 * they are asked for: the bindings must not change as long as the result is used.
 *
 * @throws InvalidVariableError with every unusable, missing, unknown and ill-typed variable
 */
export function bindVariables(file: PromptFile, bindings: Bindings): BoundVariables {
  const { variables, problems } = diagnoseVariables(file, bindings);
  if (problems.length > 0) throw new InvalidVariableError(problems, file.file);
  return variables;
}

/**
 * {@link bindVariables} with its problems returned: what is usable is bound.
 *
 * @throws InvalidMetadataError when the declared inputs cannot be read
 */
export function diagnoseVariables(
  file: PromptFile,
  bindings: Bindings,
): { readonly variables: BoundVariables; readonly problems: readonly VariableProblem[] } {
  const problems: VariableProblem[] = [];
  const context = bindings.context ?? {};
  const given = Object.values(context);
  for (let index = 0; index < given.length; index += 1) {
    if (typeof given[index] === "string" || formatValue(given[index]) !== undefined) continue;
    const name = Object.keys(context)[index] ?? "";
    problems.push({ name, code: "unusable-value", message: explainUnusable(`$${name}`, given[index]) });
  }
  const identity = bindings.identity === undefined ? undefined : flattenIdentity(bindings.identity);
  if (identity !== undefined) problems.push(...identity.problems);
  const variables = new ResolvedVariables(context, identity?.variables, bindings.templates);
  const declarations = inputDeclarations(file);
  if (declarations !== undefined) {
    const textOf = (name: string): GivenText | undefined => givenText(name, identity, bindings.templates);
    problems.push(...checkInputs(declarations, context, textOf));
    for (const { name, default: fallback } of declarations) variables.addDefault(name, formatValue(fallback));
  }
  return { variables, problems };
}

/** Finds variables when they are asked for, so that a prompt with few placeholders pays for those only. */
class ResolvedVariables implements BoundVariables {
  readonly #context: Readonly<Record<string, unknown>>;
  readonly #identity: ReadonlyMap<string, string> | undefined;
  readonly #templates: Templates | undefined;
  #defaults: Map<string, string> | undefined;
  #derived: ReadonlyMap<string, Variable> | undefined;
  #all: ReadonlyMap<string, Variable> | undefined;

  constructor(
    context: Readonly<Record<string, unknown>>,
    identity: ReadonlyMap<string, string> | undefined,
    templates: Templates | undefined,
  ) {
    this.#context = context;
    this.#identity = identity;
    this.#templates = templates;
  }

  addDefault(name: string, value: string | undefined): void {
    if (value === undefined || this.isBound(name)) return;
    this.#defaults ??= new Map();
    this.#defaults.set(name, value);
  }

  /** Whether a name is given explicitly: by a variable or as a template. */
  isBound(name: string): boolean {
    return this.#explicit(name) !== undefined || (this.#templates?.has(name) ?? false);
  }

  get(name: string): Variable | undefined {
    const explicit = this.#explicit(name);
    if (explicit !== undefined || !mayBeDerived(name)) return explicit;
    this.#derived ??= this.#findDerived();
    return this.#derived.get(name);
  }

  get all(): ReadonlyMap<string, Variable> {
    this.#derived ??= this.#findDerived();
    this.#all ??= new Map([...this.#listExplicit(), ...this.#derived.values()].map((one) => [one.name, one]));
    return this.#all;
  }

  #explicit(name: string): Variable | undefined {
    if (Object.hasOwn(this.#context, name)) {
      const value = formatValue(this.#context[name]);
      if (value !== undefined) return { name, value, tier: "context" };
    }
    const value = this.#identity?.get(name);
    if (value !== undefined) return { name, value, tier: "identity" };
    const fallback = this.#defaults?.get(name);
    return fallback === undefined ? undefined : { name, value: fallback, tier: "default" };
  }

  /** In the order of precedence; a name that several tiers give stands once. */
  #listExplicit(): Variable[] {
    const names = new Set([
      ...Object.keys(this.#context),
      ...(this.#identity?.keys() ?? []),
      ...(this.#defaults?.keys() ?? []),
    ]);
    return [...names].flatMap((name) => this.#explicit(name) ?? []);
  }

  /** `$Day_yyyymmdd` for `$day_YYYYMMDD`: name with the first letter up and the rest down, value with the first up. */
  #findDerived(): ReadonlyMap<string, Variable> {
    const derived = new Map<string, Variable>();
    for (const { name: derivedFrom, value, tier } of this.#listExplicit()) {
      const name = upperFirstName(derivedFrom);
      if (this.isBound(name) || derived.has(name)) continue;
      derived.set(name, { name, value: upperFirst(value), tier, derivedFrom });
    }
    return derived;
  }
}

/** Whether a name is what it would be as an uppercase-first version. */
function mayBeDerived(name: string): boolean {
  return name === upperFirstName(name);
}

/** The name of a variable's uppercase-first version. */
export function upperFirstName(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1).toLowerCase();
}

/** A value with only its first character uppercased. */
function upperFirst(value: string): string {
  const first = value.codePointAt(0);
  if (first === undefined) return value;
  const character = String.fromCodePoint(first);
  return character.toUpperCase() + value.slice(character.length);
}

/** A text that fills an input which the caller does not give. */
interface GivenText {
  /** Undefined when a template cannot be read. */
  readonly text: string | undefined;
  /** Who gives it, and what to do when it is not of the input's type. */
  readonly giver: string;
}

function givenText(
  name: string,
  identity: ReturnType<typeof flattenIdentity> | undefined,
  templates: Templates | undefined,
): GivenText | undefined {
  const text = identity?.variables.get(name);
  if (text !== undefined) {
    const field = identityPath(identity?.fields.get(name) ?? [name]);
    return { text, giver: `as ${field} gives it; rename the input or the field, or correct it` };
  }
  if (templates?.has(name) !== true) return undefined;
  const template = templates.get(name);
  return {
    text: template === undefined ? undefined : asTemplate(template).body,
    giver: "as the template of that name gives it; rename the input or the template",
  };
}

function checkInputs(
  declarations: readonly InputDeclaration[],
  context: Readonly<Record<string, unknown>>,
  textOf: (name: string) => GivenText | undefined,
): VariableProblem[] {
  const problems: VariableProblem[] = [];
  const declared = new Map(declarations.map((declaration) => [declaration.name, declaration]));
  for (const { name, type, required, description } of declarations) {
    if (!Object.hasOwn(context, name)) {
      const given = textOf(name);
      if (given?.text !== undefined && !isTextOf(given.text, type)) {
        const message = `$${name} must be ${withArticle(type)} and is ${describeValue(given.text)}, ${given.giver}`;
        problems.push({ name, code: "ill-typed", message });
      }
      if (!required || given !== undefined) continue;
      const meaning = description === undefined ? "" : ` (${description})`;
      problems.push({
        name,
        code: "missing",
        message: `$${name}${meaning} is required and not given; pass ${withArticle(type)}`,
      });
    } else if (formatValue(context[name]) !== undefined && !fitsType(context[name] as Value, type)) {
      const message = `$${name} must be ${withArticle(type)} and is ${describeValue(context[name])}`;
      problems.push({ name, code: "ill-typed", message });
    }
  }
  const nearest = createNameHints(() => declared.keys());
  for (const name of Object.keys(context)) {
    if (declared.has(name) || CONTEXT_NAMES.has(name)) continue;
    const near = nearest(name);
    const hint = near === undefined ? "declare it under input or leave it out" : `did you mean $${near}?`;
    problems.push({ name, code: "unknown", message: `$${name} is not an input of this prompt; ${hint}` });
  }
  return problems;
}

/**
 * Whether a value that is given is of a type. Text that is a number counts as one, and goes in as it is written: no number
 * holds `1.50` or twenty digits.
 */
function fitsType(value: Value, type: InputType): boolean {
  if (hasType(value, type)) return true;
  if (typeof value !== "string") return false;
  if (type === "integer") return /^-?\d+$/.test(value);
  return type === "number" && /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(value);
}

/** Whether a text that the caller did not give is one of a type; the identity's values are texts by now. */
function isTextOf(text: string, type: InputType): boolean {
  return fitsType(text, type) || (type === "boolean" && (text === "true" || text === "false"));
}

function withArticle(type: InputDeclaration["type"]): string {
  return `${type === "integer" ? "an" : "a"} ${type}`;
}
