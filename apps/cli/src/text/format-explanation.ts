import { printable } from "@promptfold/contract";
import type { ExplainedSpan, Tier } from "@promptfold/templating";
import type { Colors } from "../terminal/colors.ts";
import { formatTable } from "./format-table.ts";

/** One row of an explanation: at most a line of text from one source. */
interface ExplainedLine {
  readonly place: string;
  readonly source: string;
  readonly tier: Tier | "unbound" | "";
  readonly text: string;
}

/**
 * Where each part of a text came from, one row a part: the place the author wrote it at, the variable and its tier where it
 * is a value, and the text between bars. A line end is shown as ↵.
 */
export function formatExplanation(
  spans: readonly ExplainedSpan[],
  { cyan, dim, green, yellow }: Colors,
): string {
  const rows = joinAuthored(spans)
    .flatMap(splitLines)
    .map(({ place, source, tier, text }) => [printable(place), source, tier, showText(text)]);
  const paint = (cell: string, column: number): string => {
    if (column === 0) return dim(cell);
    if (column === 1) return cyan(cell);
    if (column === 2) return cell.startsWith("unbound") ? yellow(cell) : green(cell);
    return cell;
  };
  return `${formatTable(rows, paint)}\n`;
}

/** Puts authored text together that a `$$` stands in. */
function joinAuthored(spans: readonly ExplainedSpan[]): ExplainedSpan[] {
  const joined: ExplainedSpan[] = [];
  for (const span of spans) {
    const before = joined.at(-1);
    const isText = (part: ExplainedSpan): boolean =>
      part.variable === undefined && part.unbound === undefined;
    const isNext =
      before !== undefined &&
      isText(before) &&
      isText(span) &&
      before.file === span.file &&
      !before.text.endsWith("\n");
    if (isNext && (span.text === "$" || before.text.endsWith("$"))) {
      joined[joined.length - 1] = { ...before, text: before.text + span.text };
    } else joined.push(span);
  }
  return joined;
}

function splitLines(span: ExplainedSpan): ExplainedLine[] {
  const { file, line, column, variable, unbound } = span;
  const source = variable === undefined ? "" : `$${variable.name}`;
  const tier = variable?.tier ?? (unbound === undefined ? "" : "unbound");
  return (span.text.match(/[^\n]*\n|[^\n]+$/g) ?? [""]).map((text, index) => {
    // The lines of a value all come from where its placeholder stands.
    const place =
      variable !== undefined || index === 0 ? `${file}:${line}:${column}` : `${file}:${line + index}:1`;
    return { place, source, tier, text };
  });
}

function showText(text: string): string {
  return text.endsWith("\n") ? `│${printable(text.slice(0, -1))}↵` : `│${printable(text)}│`;
}
