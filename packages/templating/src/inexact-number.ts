import { tokenize } from "@humanwhocodes/momoa";
import { readYamlNodes } from "./read-yaml-nodes.ts";

/** A number in a text, at an offset from 0, that is read as another one. */
export interface InexactNumber {
  readonly offset: number;
  readonly written: string;
  readonly value: number;
}

/** No shorter number is read as another one. */
const MAY_BE_INEXACT = /[\d.]{16}|\d[eE][-+]?\d\d|0[xob][\da-fA-F]{13}/;

/** The first number of a JSON text that a number cannot hold as it is written. Undefined, too, for a text that is not JSON. */
export function findInexactJson(text: string): InexactNumber | undefined {
  if (!MAY_BE_INEXACT.test(text)) return undefined;
  try {
    for (const { type, loc } of tokenize(text, { mode: "json" })) {
      if (type !== "Number") continue;
      const offset = loc.start.offset;
      const written = text.slice(offset, loc.end.offset);
      const value = Number(written);
      if (!isExact(written, value)) return { offset, written, value };
    }
  } catch {
    // Its fault is for whoever reads the text for its data.
  }
  return undefined;
}

/** The first number of a YAML text that a number cannot hold as it is written. */
export function findInexactYaml(source: string): InexactNumber | undefined {
  if (!MAY_BE_INEXACT.test(source)) return undefined;
  for (const { start, end, value } of readYamlNodes(source).closed) {
    if (typeof value !== "number") continue;
    // An anchor or a tag may come before it, and a comment after it.
    const match = /^((?:[&!]\S*\s+)*)([-+]?[.\d][\w.+-]*)/.exec(source.slice(start, end));
    const [, before = "", written] = match ?? [];
    if (written !== undefined && !isExact(written, value))
      return { offset: start + before.length, written, value };
  }
  return undefined;
}

/** What to say of such a number, and what to do. */
export function explainInexact({ written, value }: InexactNumber): string {
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written;
  return (
    `the number ${shown} cannot be held as it is written, and would be read as ${value}; put it in quotes, ` +
    "which make it text (so the default of an input is of type string)"
  );
}

/** Whether a number says what was written: the same value, and its digits where digits were written. */
function isExact(written: string, value: number): boolean {
  const text = written.toLowerCase();
  const [, sign = "", based] = /^([-+]?)(0[xob].*)$/.exec(text) ?? [];
  if (based !== undefined)
    return Number.isFinite(value) && (sign === "-" ? -BigInt(based) : BigInt(based)) === BigInt(value);
  const shown = String(value);
  return decimalOf(text) === decimalOf(shown) && (text.includes("e") || !shown.includes("e"));
}

/** A number in one spelling: its digits from the first to the last that is no zero, and the power of ten behind them. */
function decimalOf(text: string): string | undefined {
  const match = /^([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  let from = 0;
  while (digits.charAt(from) === "0") from += 1;
  let to = digits.length;
  while (to > from && digits.charAt(to - 1) === "0") to -= 1;
  if (from === to) return "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - to);
  return `${sign === "-" ? "-" : ""}${digits.slice(from, to)}e${power}`;
}
