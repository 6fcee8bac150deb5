import { isPlainObject } from "@promptfold/contract";
import type { VariableProblem } from "./errors.ts";
import { explainUnusable, formatValue } from "./substitute.ts";

const DEEPEST = 100;

/**
 * Flattens the `identity` block of `config/journal.json` into variables, names joined with underscores at any depth:
 * `pronouns.subject` → `pronouns_subject`. A list of scalars joins with `, `; null counts as not given. What cannot
 * become text, and two fields that flatten to one name, are problems.
 *
 * @returns `fields` is the way to the field of each variable, and `empty` to each that is null, by the name it would have
 */
export function flattenIdentity(identity: Readonly<Record<string, unknown>>): {
  readonly variables: ReadonlyMap<string, string>;
  readonly problems: readonly VariableProblem[];
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly empty: ReadonlyMap<string, readonly string[]>;
} {
  const variables = new Map<string, string>();
  const fields = new Map<string, readonly string[]>();
  const empty = new Map<string, readonly string[]>();
  const problems: VariableProblem[] = [];
  const add = (name: string, value: unknown, field: readonly string[]): void => {
    if (value === null || value === undefined) {
      empty.set(name, field);
      return;
    }
    if (isPlainObject(value) && field.length < DEEPEST) {
      for (const [key, inner] of Object.entries(value)) add(`${name}_${key}`, inner, [...field, key]);
      return;
    }
    const text = Array.isArray(value) ? joinScalars(value) : formatValue(value);
    if (text === undefined) {
      const path = identityPath(field);
      const message = Array.isArray(value)
        ? `${path} is a list with something other than text, finite numbers and booleans; give it those only`
        : explainUnusable(path, value);
      problems.push({ name, code: "unusable-value", message, field });
    } else if (variables.has(name)) {
      const message = `${identityPath(fields.get(name) ?? [])} and ${identityPath(field)} both become $${name}; rename one`;
      problems.push({ name, code: "ambiguous", message, field });
    } else {
      variables.set(name, text);
      fields.set(name, field);
    }
  };
  for (const [key, value] of Object.entries(identity)) add(key, value, [key]);
  return { variables, problems, fields, empty };
}

/** How messages name a field of the identity. */
export function identityPath(field: readonly string[]): string {
  return ["identity", ...field].join(".");
}

function joinScalars(values: readonly unknown[]): string | undefined {
  const texts = values.map(formatValue);
  return texts.includes(undefined) ? undefined : texts.join(", ");
}
