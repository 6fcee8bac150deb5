import type { Colors } from "../terminal/colors.ts";

/** How wide a terminal is; what is no terminal gets a width that reads well. */
export function terminalWidth(output: { readonly columns?: number }): number {
  return Math.max(60, Math.min(output.columns ?? 132, 160));
}

/** The heading of a part, after a blank line. */
export function heading(text: string, { bold }: Colors): string {
  return `\n${bold(`── ${text} ──`)}\n`;
}

/** A line across the page with words in it. */
export function rule(text: string, width: number): string {
  const rest = Math.max(6, width - text.length - 2);
  const left = 3;
  return `${"━".repeat(left)} ${text} ${"━".repeat(Math.max(3, rest - left))}`;
}
