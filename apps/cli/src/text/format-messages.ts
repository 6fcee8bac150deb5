import type { Message } from "@promptfold/contract";
import { printable } from "@promptfold/contract";
import type { Colors } from "../terminal/colors.ts";
import { cutLine } from "../terminal/one-line.ts";
import { formatCount } from "./format-count.ts";

/** How messages are laid out for reading. */
export interface FormatMessagesOptions {
  readonly colors: Colors;
  /** The most lines of a message that are shown. Default: all. */
  readonly lines?: number | undefined;
  /** The most characters of a line that are shown. Default: all. */
  readonly width?: number | undefined;
  /** The number of the first message; the protocol message is 0. */
  readonly first?: number | undefined;
}

/** Messages for a person: number, role and origin of each, and its text behind a bar. */
export function formatMessages(
  messages: readonly Message[],
  { colors, lines = Infinity, width = Infinity, first = 0 }: FormatMessagesOptions,
): string {
  return messages
    .map((message, index) => {
      const text = printable(message.content).split("\n");
      const heading = `${colors.bold(colorOf(message, colors)(message.role))} ${colors.dim(describeOrigin(message))}`;
      const body = shorten(text, lines).map((line) =>
        line.left === undefined
          ? `${colors.dim("│")} ${cutLine(line.text, width - 2)}`.trimEnd()
          : colors.dim(`┆ … ${formatCount(line.left, "line")} left out …`),
      );
      return [`${colors.dim(`[${first + index}]`)} ${heading}`, ...body].join("\n");
    })
    .join("\n\n");
}

/** What a message came from, in words. */
export function describeOrigin({ from, content }: Message): string {
  switch (from.kind) {
    case "protocol":
      return "the protocol";
    case "standing-document": {
      const sections = content.match(/^<section key="/gm)?.length ?? 0;
      return `the standing document, ${formatCount(sections, "section")}`;
    }
    case "request":
      return `the stamp of request @${from.offset}`;
    case "section":
    case "message":
      return `@${from.offset}`;
  }
}

function colorOf({ role }: Message, colors: Colors): (text: string) => string {
  if (role === "user") return colors.yellow;
  if (role === "assistant") return colors.green;
  return role === "developer" ? colors.magenta : colors.cyan;
}

type ShownLine = { readonly text: string; readonly left?: undefined } | { readonly left: number };

/** Keeps the first lines and the last one. A single line too many is shown, since leaving it out takes a line too. */
function shorten(lines: readonly string[], limit: number): ShownLine[] {
  if (lines.length <= limit + 1) return lines.map((text) => ({ text }));
  const isTailShown = limit > 2;
  const head = lines.slice(0, isTailShown ? limit - 1 : limit).map((text) => ({ text }));
  const tail = isTailShown ? [{ text: lines.at(-1) ?? "" }] : [];
  return [...head, { left: lines.length - head.length - tail.length }, ...tail];
}
