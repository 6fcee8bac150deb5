import { describeValue } from "./describe-value.ts";
import type { InputType } from "./metadata-schema.ts";
import type { Value } from "./substitute.ts";

const words: Readonly<Record<InputType, { readonly must: string; readonly example: string }>> = {
  string: { must: "text", example: "none" },
  number: { must: "a number", example: "0.5" },
  integer: { must: "a whole number", example: "3" },
  boolean: { must: "true or false", example: "false" },
};

/** What to say of a default that is not of its input's type; text is the type of an input that names none. */
export function explainDefault(value: Value, type: InputType | undefined): string {
  const { must, example } = words[type ?? "string"];
  const why = type === undefined ? "since no type is given" : `as type: ${type} says`;
  const write = type === undefined || type === "string" ? `"${value}"` : example;
  const other = Number.isInteger(value) ? "integer" : typeof value;
  const remedy = type === undefined ? `, or add type: ${other}` : "";
  return `must be ${must}, ${why}, and is ${describeValue(value)}; write default: ${write}${remedy}`;
}

/** What to say of an input whose name stands in the list before. */
export function explainSameName(name: string, earlier: number): string {
  return `has the name ${JSON.stringify(name)}, which input.${earlier} has too; rename one, or remove it`;
}

/** What to say of an input that must be given and has a default all the same. */
export const REQUIRED_WITH_DEFAULT: string =
  "has a default, and required: true, with which nothing takes it; remove one of the two";
