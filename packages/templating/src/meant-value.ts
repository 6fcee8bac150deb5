import type { InputType } from "./metadata-schema.ts";

const YES = /^(?:true|yes|y|on|1)$/i;
const NO = /^(?:false|no|n|off|0)$/i;

/** What an author meant who wrote something else for true or false, such as YAML's older yes and no. */
export function meantBoolean(value: unknown): boolean | undefined {
  const text = scalarText(value);
  if (text === undefined) return undefined;
  if (YES.test(text)) return true;
  return NO.test(text) ? false : undefined;
}

/** The number in a text, also with marks between its thousands. */
export function meantNumber(value: unknown): number | undefined {
  if (typeof value !== "string" || value.length > 30) return undefined;
  const text = value.trim().replace(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, "");
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

const typeWords: Readonly<Record<InputType, readonly string[]>> = {
  string: ["str", "text", "char", "varchar"],
  number: ["float", "double", "decimal", "num", "real", "numeric"],
  integer: ["int", "long", "int32", "int64", "whole"],
  boolean: ["bool", "flag"],
};

/** The type that a word of another language stands for. */
export function meantType(value: unknown): InputType | undefined {
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  return (Object.keys(typeWords) as InputType[]).find(
    (type) => type === word || typeWords[type].includes(word),
  );
}

function scalarText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : undefined;
}
