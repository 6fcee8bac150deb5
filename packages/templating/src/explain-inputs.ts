import { describeValue } from "./describe-value.ts";
import { meantBoolean, meantNumber } from "./meant-value.ts";
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
  const fault = `must be ${must}, ${why}, and is ${describeValue(value)}`;
  if (type === "integer" && Number.isFinite(value)) return `${fault}; write a whole number, or type: number`;
  const write = type === undefined || type === "string" ? `"${value}"` : meantDefault(value, type);
  if (write === undefined && type === "boolean") return `${fault}; write default: true or default: false`;
  const other = Number.isInteger(value) ? "integer" : typeof value;
  const remedy = type === undefined ? `, or add type: ${other}` : "";
  return `${fault}; write default: ${write ?? example}${remedy}`;
}

/** What was written in another form, as the type has it. */
function meantDefault(value: Value, type: InputType): string | undefined {
  if (type === "boolean") return meantBoolean(value)?.toString();
  const number = meantNumber(value);
  if (number === undefined || (type === "integer" && !Number.isSafeInteger(number))) return undefined;
  return String(number);
}

/** What to say of an input whose name stands in the list before. */
export function explainSameName(name: string, earlier: number): string {
  return `has the name ${JSON.stringify(name)}, which input.${earlier} has too; rename one, or remove it`;
}

/** What to say of an input that must be given and has a default all the same. */
export const REQUIRED_WITH_DEFAULT: string =
  "has a default, and required: true, with which nothing takes it; remove one of the two";
