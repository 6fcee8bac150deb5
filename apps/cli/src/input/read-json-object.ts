import { isPlainObject } from "@promptfold/contract";
import { createLocator, formatPlace, normalizeText } from "@promptfold/parser";
import {
  createMemberLocator,
  duplicateMembers,
  explainDuplicate,
  explainInexact,
  explainJsonFault,
  explainName,
  findInexactJson,
  readJson,
} from "@promptfold/templating";
import { InputError } from "../errors.ts";
import { readText } from "@promptfold/templating/node";

/**
 * Reads a file that holds one JSON object.
 *
 * @param asVariables - refuses what would not be variables as they are written: a name that occurs twice or that no prompt
 *   can write, and a number that would be read as another one
 * @throws InputError, with what is wanted, for any other
 */
export function readJsonObject(path: string, wanted: string, asVariables = false): Record<string, unknown> {
  const text = normalizeText(readText(path, { mayBePipe: true }));
  const value = parseJson(text, { file: path });
  if (!isPlainObject(value)) throw new InputError(`${path}: not a JSON object; ${wanted}`);
  const fault = asVariables ? findFault(text, Object.keys(value)) : undefined;
  if (fault === undefined) return value;
  const place = formatPlace({ file: path, ...createLocator(text)(fault.offset) });
  throw new InputError(`${place}: ${fault.message}`);
}

/** What keeps an object from being variables as it is written. */
function findFault(
  text: string,
  names: readonly string[],
): { readonly offset: number; readonly message: string } | undefined {
  const [twice] = duplicateMembers(text);
  if (twice !== undefined) return { offset: twice.offset, message: explainDuplicate(twice.name) };
  for (const name of names) {
    const message = explainName(name);
    if (message !== undefined) return { offset: createMemberLocator(text)([name]) ?? 0, message };
  }
  const inexact = findInexactJson(text);
  return inexact === undefined ? undefined : { offset: inexact.offset, message: explainInexact(inexact) };
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
