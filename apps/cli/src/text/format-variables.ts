import type { PromptVariable } from "../input/list-prompt-variables.ts";
import type { Colors } from "../terminal/colors.ts";
import { oneLine } from "../terminal/one-line.ts";
import { formatTable } from "./format-table.ts";

const headings: readonly (readonly [tier: PromptVariable["tier"], heading: string])[] = [
  ["context", "context: given by the caller"],
  ["identity", "identity: from journal.json"],
  ["template", "templates"],
  ["default", "defaults of declared inputs"],
  [null, "not given"],
];

/** Longer names of variables and files are cut. */
const LONGEST_NAME = 500;

/** Variables by tier: name, value, and every place of use. */
export function formatVariables(
  variables: readonly PromptVariable[],
  { colors, width }: { readonly colors: Colors; readonly width: number },
): string {
  if (variables.length === 0) return "no variables: nothing is given, and the file uses none\n";
  const { bold, cyan, dim, yellow } = colors;
  const names = variables.map(({ name }) => `$${oneLine(name, LONGEST_NAME)}`);
  const nameWidth = names.reduce((most, name) => Math.max(most, name.length), 0);
  const valueWidth = Math.max(16, Math.min(60, Math.floor((width - nameWidth) / 2)));
  const rows = variables.map((variable, index) => [
    `  ${names[index] ?? ""}`,
    describeValue(variable, valueWidth),
    describeUses(variable),
  ]);
  const lines = formatTable(rows, (cell, column) => {
    if (column === 0) return cyan(cell);
    return column === 2 ? (cell === "not used" ? yellow(cell) : dim(cell)) : cell;
  }).split("\n");
  const groups = headings.flatMap(([tier, heading]) => {
    const inGroup = lines.filter((_, index) => variables[index]?.tier === tier);
    return inGroup.length === 0 ? [] : [[bold(heading), ...inGroup].join("\n")];
  });
  return `${groups.join("\n\n")}\n`;
}

function describeValue(variable: PromptVariable, width: number): string {
  const { tier, value, derivedFrom } = variable;
  const declared = describeInput(variable);
  if (tier === "template") return declared.trimStart();
  const shown =
    value === undefined ? describeMissing(variable, width) : (oneLine(value, width) || "(empty)") + declared;
  return derivedFrom === undefined ? shown : `${shown} (of $${oneLine(derivedFrom, LONGEST_NAME)})`;
}

/** That an input gets its value from where inputs do not come from. */
function describeInput({ tier, input }: PromptVariable): string {
  if (input === undefined || (tier !== "identity" && tier !== "template")) return "";
  return ` (fills the declared input: ${input.type})`;
}

function describeMissing({ input, isBuilt, remedy }: PromptVariable, width: number): string {
  if (input !== undefined)
    return `${input.required ? "required" : "optional"} ${input.type}${describeMeaning(input, width)}`;
  if (isBuilt === true) return "given when the prompt runs";
  return remedy === undefined ? "not defined" : `not defined; ${oneLine(remedy, LONGEST_NAME)}`;
}

function describeMeaning({ description }: { readonly description?: string }, width: number): string {
  return description === undefined ? "" : `: ${oneLine(description, width - 10)}`;
}

function describeUses({ uses, tier, remedy }: PromptVariable): string {
  // A name that is bound and wants a remedy is one that no prompt can write.
  if (tier !== null && remedy !== undefined) return `cannot be used; ${oneLine(remedy, LONGEST_NAME)}`;
  if (uses.length === 0) return "not used";
  const places = new Map<string, string[]>();
  for (const { file, line, column } of uses)
    places.set(file, [...(places.get(file) ?? []), `${line}:${column}`]);
  return [...places].map(([file, at]) => `${oneLine(file, LONGEST_NAME)}:${at.join(", ")}`).join("; ");
}
