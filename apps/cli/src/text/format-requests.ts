import { printable } from "@promptfold/contract";
import type { OpenedRequest } from "../input/follow-requests.ts";
import type { Colors } from "../terminal/colors.ts";
import { oneLine } from "../terminal/one-line.ts";
import { formatCount } from "./format-count.ts";

/** Lays out requests as lines of a table, some after the others: a column becomes wider where it must, never narrower. */
export class RequestTable {
  readonly #colors: Colors;
  readonly #widths: number[] = [];

  constructor(colors: Colors) {
    this.#colors = colors;
  }

  /** A line for each request: offset, time, model, mapping, how it ended, tokens. */
  format(requests: readonly OpenedRequest[]): string {
    const rows = requests.map((request) => [
      `@${request.offset}`,
      printable(request.createdAt),
      oneLine(request.model, 60),
      oneLine(request.mapping, 60),
      request.status,
      describeTokens(request),
      request.status === "succeeded" ? "" : oneLine(request.reason ?? "", 80),
    ]);
    for (const row of rows) {
      row.forEach((cell, column) => {
        this.#widths[column] = Math.max(this.#widths[column] ?? 0, cell.length);
      });
    }
    return rows.map((row) => this.#line(row)).join("\n");
  }

  #line(row: readonly string[]): string {
    const { bold, dim, cyan, red, yellow } = this.#colors;
    const isFailed = row[4] === "failed";
    const paints = [bold, dim, cyan, dim, isFailed ? red : yellow];
    return row
      .map((cell, column) => {
        const width = this.#widths[column] ?? 0;
        const padded = column === 0 ? cell.padStart(width) : cell.padEnd(width);
        const paint = column === 4 && cell === "succeeded" ? undefined : paints[column];
        return paint?.(padded) ?? padded;
      })
      .join("  ")
      .trimEnd();
  }
}

function describeTokens({ inputTokens, cachedInputTokens }: OpenedRequest): string {
  if (inputTokens === undefined) return "";
  const cached = cachedInputTokens === undefined ? "" : `, ${formatCount(cachedInputTokens)} cached`;
  return `${formatCount(inputTokens, "token")} in${cached}`;
}
