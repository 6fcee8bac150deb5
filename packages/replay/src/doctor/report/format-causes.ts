import type { DiagnosedBreak } from "../diagnosis.ts";
import { breakWords } from "./diagnosis-words.ts";
import { whole, type Wording } from "./format-break.ts";
import { type BreakGroup, groupBreaks } from "./group-breaks.ts";

/** What breaks come to by cause and place, worst first: one line for each, with the amounts in columns. */
export function formatCauses(breaks: readonly DiagnosedBreak[], wording: Wording): string {
  const groups = groupBreaks(breaks);
  const rows = groups.map((group) => [...amounts(group, wording), times(group.count)]);
  const widths = [0, 1, 2].map((column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  const lines = groups.map((group, index) => {
    const cells = (rows[index] ?? []).map((cell, column) => cell.padStart(widths[column] ?? 0));
    // A column that is empty in each row is left out.
    const shown = cells.filter((_, column) => (widths[column] ?? 0) > 0);
    return `  ${shown.join("  ")}  ${describe(group, wording)}`;
  });
  return ["Breaks by cause and place, worst first:", ...lines].join("\n");
}

function amounts({ lostCharacters, lostTokens, lostMoney }: BreakGroup, { money }: Wording): string[] {
  if (lostTokens === undefined) return [`${lostCharacters} characters`, ""];
  if (lostTokens === 0) return ["nothing lost", ""];
  return [`${whole(lostTokens)} tokens`, lostMoney === undefined ? "" : money(lostMoney)];
}

function describe({ cause, detail, path, role, first, also }: BreakGroup, { name }: Wording): string {
  const { title } = breakWords[cause];
  const others = also.map(({ cause: other, count }) => `also ${breakWords[other].title}, ${times(count)}`);
  if (path === undefined) {
    return [`${title}${detail === undefined ? "" : `: ${detail}`}, first in ${name(first)}`, ...others].join(
      "; ",
    );
  }
  // The cause says "tools" already; of what is no message, the path says whose it is.
  const place = path === "tools" ? [] : [path];
  const speaker = role !== undefined && /^(?:messages|input|contents)\b/.test(path) ? [role] : [];
  return [[title, ...place, ...speaker, `first in ${name(first)}`].join(", "), ...others].join("; ");
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
