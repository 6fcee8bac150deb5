import { isPlainObject } from "@promptfold/contract";
import type { VariableProblem } from "./errors.ts";
import { explainUnusable, formatValue } from "./substitute.ts";

const DEEPEST = 100;

/**
 * Flattens the `identity` block of `config/journal.json` into variables, names joined with underscores at any depth:
 * `pronouns.subject` → `pronouns_subject`. A list of scalars joins with `, `; null counts as not given. What cannot
 * become text, and two fields that flatten to one name, are problems.
 */
export function flattenIdentity(identity: Readonly<Record<string, unknown>>): {
  readonly variables: ReadonlyMap<string, string>;
  readonly problems: readonly VariableProblem[];
} {
  const variables = new Map<string, string>();
  const problems: VariableProblem[] = [];
  const add = (name: string, value: unknown, path: string, depth: number): void => {
    if (value === null || value === undefined) return;
    if (isPlainObject(value) && depth < DEEPEST) {
      for (const [key, inner] of Object.entries(value))
        add(`${name}_${key}`, inner, `${path}.${key}`, depth + 1);
      return;
    }
    const text = Array.isArray(value) ? joinScalars(value) : formatValue(value);
    if (text === undefined) {
      const message = Array.isArray(value)
        ? `${path} is a list with something other than text, finite numbers and booleans; give it those only`
        : explainUnusable(path, value);
      problems.push({ name, code: "unusable-value", message });
    } else if (variables.has(name)) {
      const message = `${path} and another identity field both become $${name}; rename one`;
      problems.push({ name, code: "ambiguous", message });
    } else {
      variables.set(name, text);
    }
  };
  for (const [key, value] of Object.entries(identity)) add(key, value, `identity.${key}`, 1);
  return { variables, problems };
}

function joinScalars(values: readonly unknown[]): string | undefined {
  const texts = values.map(formatValue);
  return texts.includes(undefined) ? undefined : texts.join(", ");
}
