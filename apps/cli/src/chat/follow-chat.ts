import { parseCodemodeReply } from "@promptfold/codemode";
import {
  AGENT_PAUSED,
  CONTEXT_ADDED,
  type KnownEvent,
  parseEvent,
  printable,
  SCRIPT_RUN_REQUESTED,
  SCRIPT_RUN_SETTLED,
} from "@promptfold/contract";
import type { CommittedEvent } from "@promptfold/journal";
import { TurnWatch } from "../agents/turn-watch.ts";
import { colorsFor } from "../terminal/colors.ts";
import { oneLine } from "../terminal/one-line.ts";
import { say } from "../terminal/write-out.ts";

/** Follows an agent's stream through its turns, and tells what a person wants to see of them. */
export class ChatFollower {
  readonly #events: AsyncIterableIterator<CommittedEvent, undefined>;
  readonly #shown: ReadonlySet<string>;
  readonly #turn = new TurnWatch();

  /** `shown` holds the replies that need not be shown again. */
  constructor(events: AsyncIterableIterator<CommittedEvent, undefined>, shown: ReadonlySet<string>) {
    this.#events = events;
    this.#shown = shown;
  }

  /** Follows the turn that the message at an offset begins, to its end. */
  async followTurn(offset: number): Promise<void> {
    for (;;) {
      const { value: event } = await this.#events.next();
      if (event === undefined) return;
      const parsed = parseEvent(event);
      if (parsed.kind !== "known") continue;
      const progress = this.#turn.observe(parsed.event);
      if (event.offset < offset) continue;
      tell(parsed.event, this.#shown);
      if (progress === "answered") return;
      if (progress === "failed") {
        say(
          parsed.event.type === AGENT_PAUSED && parsed.event.payload.reason !== undefined
            ? `The agent is paused: ${printable(parsed.event.payload.reason)}`
            : "The model's calls failed; say something to try again.",
        );
        return;
      }
    }
  }
}

function tell(event: KnownEvent, shown: ReadonlySet<string>): void {
  const { dim, green, red } = colorsFor(process.stderr);
  if (event.type === SCRIPT_RUN_REQUESTED) {
    const { status } = event.payload;
    say(dim(`  · ${typeof status === "string" ? oneLine(status, 100) : "running a script"} …`));
  } else if (event.type === SCRIPT_RUN_SETTLED) {
    const { settlement } = event.payload;
    if (settlement.status !== "succeeded")
      say(red(`  · the script ${settlement.status}: ${oneLine(settlement.error, 100)}`));
  } else if (event.type === CONTEXT_ADDED) {
    const { role, content, actor } = event.payload;
    if (actor?.type === "integration") say(red(`  · ${oneLine(content, 200)}`));
    if (role !== "assistant" || shown.has(content)) return;
    const { prose } = proseOf(content);
    if (prose !== undefined) process.stdout.write(`${green("agent ›")} ${printable(prose)}\n`);
  }
}

/** What of a reply is meant for a person; of one that breaks the rules, all of it. */
function proseOf(content: string): { readonly prose?: string | undefined } {
  const reply = parseCodemodeReply(content);
  return reply.kind === "script" || reply.kind === "none" ? reply : { prose: content };
}
