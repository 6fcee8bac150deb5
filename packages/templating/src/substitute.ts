import { alignValues } from "./align-values.ts";
import {
  type CompiledTemplate,
  compileTemplate,
  fillOnce,
  fillTemplate,
  knownTemplate,
} from "./compile-template.ts";
import { describeValue } from "./describe-value.ts";
import { InvalidVariableError } from "./errors.ts";

/** What a variable's value may be. */
export type Value = string | number | boolean;

/** Values by name: own properties of an object, or a map. */
export type Values = Readonly<Record<string, Value | undefined>> | ReadonlyMap<string, Value>;

/**
 * Puts values in place of `$name` and `${name}` with the semantics of Python's `string.Template.safe_substitute`: `$$` is
 * a dollar, an undefined or malformed placeholder stays as it is, and a value is never scanned again.
 *
 * @throws InvalidVariableError when a used value is neither text, a finite number nor a boolean
 */
export function substitute(template: string, values: Values): string {
  const compiled = knownTemplate(template);
  if (compiled === undefined) return fillOnce(template, createLookup(values));
  return fillTemplate(compiled, valuesOf(compiled, values));
}

/** The values of a template's names, in their order. */
function valuesOf(compiled: CompiledTemplate, values: Values): (string | undefined)[] {
  if (values instanceof Map) return compiled.names.map(createLookup(values));
  const aligned = alignValues(compiled, values as Readonly<Record<string, unknown>>);
  for (let index = 0; index < aligned.length; index += 1) {
    if (typeof aligned[index] === "string") continue;
    aligned[index] = usableText(compiled.names[index] ?? "", aligned[index]);
  }
  return aligned as (string | undefined)[];
}

function createLookup(values: Values): (name: string) => string | undefined {
  if (values instanceof Map) {
    const map = values as ReadonlyMap<string, Value>;
    return (name) => (map.has(name) ? usableText(name, map.get(name)) : undefined);
  }
  const object = values as Readonly<Record<string, Value | undefined>>;
  // Inherited members (`constructor`, `toString`) are not variables.
  return (name) => (Object.hasOwn(object, name) ? usableText(name, object[name]) : undefined);
}

function usableText(name: string, value: unknown): string | undefined {
  if (typeof value === "string" || value === undefined) return value;
  const text = formatValue(value);
  if (text !== undefined) return text;
  throw new InvalidVariableError([
    { name, code: "unusable-value", message: explainUnusable(`$${name}`, value) },
  ]);
}

/** A value as text; undefined when it is none that a variable may have. */
export function formatValue(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)))
    return String(value);
  return undefined;
}

/** Why a value cannot be used, and what can. */
export function explainUnusable(what: string, value: unknown): string {
  return `${what} is ${describeValue(value)}; give it text, a finite number or a boolean`;
}

/** The names of a text's placeholders, in the order of first use, without repetitions. */
export function listVariables(template: string): string[] {
  const names = new Set<string>();
  for (const { name } of compileTemplate(template)) if (name !== undefined) names.add(name);
  return [...names];
}
