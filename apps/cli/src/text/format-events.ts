import type { StoredEvent } from "@promptfold/contract";
import { printable } from "@promptfold/contract";
import type { Colors } from "../terminal/colors.ts";
import { eventAuthor, summarizeEvent } from "./summarize-event.ts";

/** A stream as a table: offset, milliseconds since the event before, type (on a narrow page without its group), who, and what it says. */
export function formatEvents(events: readonly StoredEvent[], colors: Colors, width: number): string {
  const { dim, bold, cyan } = colors;
  const isNarrow = width < 124;
  const types = events.map(({ type }) => printable(isNarrow ? type.slice(type.indexOf("/") + 1) : type));
  const authors = events.map(eventAuthor);
  const typeWidth = longest(types);
  const authorWidth = longest(authors);
  const summaryWidth = Math.max(24, width - typeWidth - authorWidth - 22);
  let previous = events[0]?.createdAt ?? "";
  return events
    .map((event, index) => {
      const passed = Date.parse(event.createdAt) - Date.parse(previous);
      previous = event.createdAt;
      const elapsed = passed > 0 ? `+${passed} ms` : "";
      const isOutside = event.source?.trust === "outside";
      const author = (authors[index] ?? "").padEnd(authorWidth);
      return [
        bold(String(event.offset).padStart(5)),
        dim(elapsed.padStart(9)),
        (types[index] ?? "").padEnd(typeWidth),
        isOutside ? colors.yellow(author) : cyan(author),
        summarizeEvent(event, summaryWidth),
      ].join("  ");
    })
    .join("\n");
}

function longest(texts: readonly string[]): number {
  return texts.reduce((length, text) => Math.max(length, text.length), 0);
}
