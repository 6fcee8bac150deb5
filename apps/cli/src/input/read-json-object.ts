import { isPlainObject } from "@promptfold/contract";
import { createLocator, formatPlace, normalizeText } from "@promptfold/parser";
import { explainInexact, explainJsonFault, findInexactJson, readJson } from "@promptfold/templating";
import { InputError } from "../errors.ts";
import { readText } from "@promptfold/templating/node";

/**
 * Reads a file that holds one JSON object.
 *
 * @param asWritten - refuses a number that would be read as another one
 * @throws InputError, with what is wanted, for any other
 */
export function readJsonObject(path: string, wanted: string, asWritten = false): Record<string, unknown> {
  const text = normalizeText(readText(path, { mayBePipe: true }));
  const value = parseJson(text, { file: path });
  if (!isPlainObject(value)) throw new InputError(`${path}: not a JSON object; ${wanted}`);
  const inexact = asWritten ? findInexactJson(text) : undefined;
  if (inexact === undefined) return value;
  const place = formatPlace({ file: path, ...createLocator(text)(inexact.offset) });
  throw new InputError(`${place}: ${explainInexact(inexact)}`);
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
