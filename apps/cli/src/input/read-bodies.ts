import { isPlainObject } from "@promptfold/contract";
import { detectFormat } from "@promptfold/renderer";
import { listBodies, locateBodies, unwrapBody } from "@promptfold/replay";
import { InputError } from "../errors.ts";

/**
 * A body and where it stands: `requests.jsonl:3`, `requests.jsonl:3[0]` in a list, `requests.json[0]` in a list over all
 * lines, `requests.har.log.entries[0]` in a HAR file.
 */
export interface PlacedBody {
  readonly body: unknown;
  readonly place: string;
  /** From 1; undefined where one value goes over several lines. */
  readonly line: number | undefined;
}

interface Line {
  readonly text: string;
  readonly number: number;
}

/** How much of a value that goes over several lines is held, in UTF-16 units. */
const MAX_HELD = 64 * 1024 * 1024;

/**
 * The bodies of a file: one a line, or a list of them on a line. A first line that opens a JSON list or object and does
 * not close it may begin one value over all lines; such a file is held as a whole and read as its bodies.
 *
 * @throws InputError when such a file is too long to be held or no JSON, and has no line that is a body, either
 */
export async function* readBodies(
  lines: AsyncIterable<string>,
  name: string,
  maxHeld: number = MAX_HELD,
): AsyncGenerator<PlacedBody, void, void> {
  let held: Line[] = [];
  let size = 0;
  let number = 0;
  let isHolding: boolean | undefined;
  for await (const text of lines) {
    number += 1;
    if (text.trim() === "") continue;
    isHolding ??= opensValue(text);
    if (!isHolding) {
      yield* bodiesOnLine({ text, number }, name);
      continue;
    }
    held.push({ text, number });
    size += text.length;
    if (size <= maxHeld) continue;
    yield* bodiesOnLines(held, name);
    [held, isHolding] = [[], false];
  }
  if (isHolding !== true) return;
  const whole = parse(held.map(({ text }) => text).join("\n"));
  yield* whole === undefined ? bodiesOnLines(held, name) : placeBodies(whole, name, undefined);
}

/** Whether a line opens a JSON list or object and does not close it. */
function opensValue(text: string): boolean {
  return /^\s*[[{]/.test(text) && parse(text) === undefined;
}

/** The bodies of a file that has one a line after all, with a first line that cannot be read. */
function bodiesOnLines(lines: readonly Line[], name: string): PlacedBody[] {
  if (!lines.some(({ text }) => isBody(text))) {
    const filter = lines[0]?.text.trim().startsWith("[") === true ? "'.[]'" : ".";
    throw new InputError(
      `${name}: neither one JSON body a line nor one JSON value that is whole and short enough to hold; ` +
        `write one body a line, as \`jq -c ${filter}\` does`,
    );
  }
  return lines.flatMap((line) => bodiesOnLine(line, name));
}

function bodiesOnLine({ text, number }: Line, name: string): PlacedBody[] {
  return placeBodies(text, `${name}:${number}`, number);
}

function placeBodies(value: unknown, place: string, line: number | undefined): PlacedBody[] {
  return locateBodies(value).map(({ body, path }) => ({ body, place: `${place}${path}`, line }));
}

function isBody(text: string): boolean {
  return listBodies(text)
    .map(unwrapBody)
    .some((body) => isPlainObject(body) && detectFormat(body) !== undefined);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
