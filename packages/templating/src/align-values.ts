import type { CompiledTemplate } from "./compile-template.ts";

/**
 * An object's own values in the order of a template's names; undefined where it has none. Objects with the same keys come
 * again and again: for them only the keys are compared, and no name is looked up.
 */
export function alignValues(
  template: CompiledTemplate,
  object: Readonly<Record<string, unknown>>,
): unknown[] {
  const keys = Object.keys(object);
  const values = Object.values(object);
  if (!areEqual(template.alignment.keys, keys)) align(template, keys);
  const { indexes } = template.alignment;
  const aligned = new Array<unknown>(indexes.length);
  for (let name = 0; name < indexes.length; name += 1) {
    const index = indexes[name] ?? -1;
    aligned[name] = index < 0 ? undefined : values[index];
  }
  return aligned;
}

function align(template: CompiledTemplate, keys: readonly string[]): void {
  const indexOf = new Map(keys.map((key, index) => [key, index]));
  template.alignment = { keys, indexes: template.names.map((name) => indexOf.get(name) ?? -1) };
}

function areEqual(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}
