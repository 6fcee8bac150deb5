import { isPlainObject } from "@promptfold/contract";
import { createLocator, formatPlace, normalizeText } from "@promptfold/parser";
import { explainJsonFault, readJson } from "@promptfold/templating";
import { InputError } from "../errors.ts";
import { readText } from "@promptfold/templating/node";

/** Reads a file that holds one JSON object. @throws InputError, with what is wanted, for any other */
export function readJsonObject(path: string, wanted: string): Record<string, unknown> {
  const value = parseJson(normalizeText(readText(path, { mayBePipe: true })), { file: path });
  if (isPlainObject(value)) return value;
  throw new InputError(`${path}: not a JSON object; ${wanted}`);
}

/**
 * Parses JSON that stands in a file, from a line on.
 *
 * @throws InputError with the place of the fault and what to do
 */
export function parseJson(
  text: string,
  { file, line = 1 }: { readonly file: string; readonly line?: number | undefined },
): unknown {
  const reading = readJson(text);
  if (reading.kind === "data") return reading.data;
  const { line: below, column } = createLocator(text)(reading.fault.offset);
  const place = formatPlace({ file, line: line + below - 1, column });
  throw new InputError(`${place}: ${explainJsonFault(reading.fault)}`, { cause: reading.cause });
}
