import { isPlainObject } from "@promptfold/contract";
import { InputError } from "../errors.ts";
import { readTextFile } from "./read-text-input.ts";

/** Reads a file that holds one JSON object. @throws InputError, with what is wanted, for any other */
export function readJsonObject(path: string, wanted: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(readTextFile(path).replace(/^\ufeff/, ""));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new InputError(`${path}: not valid JSON: ${cause.message}; ${wanted}`, { cause });
  }
  if (isPlainObject(value)) return value;
  throw new InputError(`${path}: not a JSON object; ${wanted}`);
}
