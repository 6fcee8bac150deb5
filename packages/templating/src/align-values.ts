import type { CompiledTemplate } from "./compile-template.ts";

/**
 * An object's own values in the order of a template's names; undefined where it has none. Objects with the same keys come
 * again and again: for them only the keys are compared, and no name is looked up.
 */
export function alignValues(
  template: CompiledTemplate,
  object: Readonly<Record<string, unknown>>,
): unknown[] {
  const own = Object.keys(object);
  return (
    alignKnown(template, object, own.length) ??
    alignKnown(align(template, own), object, own.length) ??
    template.names.map((name) => ownValue(object, name))
  );
}

/** The values, when the object's first `count` keys are those that the template was aligned with. */
function alignKnown(
  { names, alignment: { keys, targets, missing } }: CompiledTemplate,
  object: Readonly<Record<string, unknown>>,
  count: number,
): unknown[] | undefined {
  if (keys.length !== count) return undefined;
  const aligned = new Array<unknown>(names.length).fill(undefined);
  for (const target of missing) aligned[target] = ownValue(object, names[target] as string);
  let index = 0;
  // Engines read `object[key]` in such a loop without looking the key up. Own keys come before inherited ones.
  for (const key in object) {
    if (index === count) break;
    if (key !== keys[index]) return undefined;
    const target = targets[index] as number;
    if (target >= 0) aligned[target] = object[key];
    index += 1;
  }
  return index === count ? aligned : undefined;
}

function align(template: CompiledTemplate, keys: readonly string[]): CompiledTemplate {
  const indexes = new Map(template.names.map((name, index) => [name, index]));
  const targets = keys.map((key) => indexes.get(key) ?? -1);
  const found = new Set(targets);
  const missing = [...template.names.keys()].filter((index) => !found.has(index));
  template.alignment = { keys, targets, missing };
  return template;
}

function ownValue(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
