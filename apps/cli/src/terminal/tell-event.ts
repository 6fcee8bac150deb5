import type { CommittedEvent } from "@promptfold/journal";
import { terminalWidth } from "../text/layout.ts";
import { eventAuthor, summarizeEvent } from "../text/summarize-event.ts";
import { colorsFor } from "./colors.ts";
import { say } from "./write-out.ts";

/** Tells the person at the terminal of an event as it arrives, with its stream where several are followed. */
export function tellEvent(
  event: CommittedEvent,
  { withStream = false }: { readonly withStream?: boolean } = {},
): void {
  const { dim, bold } = colorsFor(process.stderr);
  const place = withStream ? `${event.stream}@${event.offset}` : `@${event.offset}`.padStart(5);
  const author = eventAuthor(event).padEnd(17);
  const width = Math.max(30, terminalWidth(process.stderr) - place.length - author.length - 5);
  say(`${bold(place)}  ${dim(author)}  ${summarizeEvent(event, width)}`);
}
