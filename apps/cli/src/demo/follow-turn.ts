import { parseCodemodeReply, parseFencedReply } from "@promptfold/codemode";
import {
  AGENT_CREATED,
  CONTEXT_ADDED,
  type KnownEvent,
  parseEvent,
  SCRIPT_RUN_SETTLED,
} from "@promptfold/contract";
import { agentConfig, type AgentState, foldEvent, initialState } from "@promptfold/fold";
import type { CommittedEvent, JournalReader } from "@promptfold/journal";
import { InputError } from "../errors.ts";
import { colorsFor } from "../terminal/colors.ts";
import { say } from "../terminal/write-out.ts";
import { terminalWidth } from "../text/layout.ts";
import { eventAuthor, summarizeEvent } from "../text/summarize-event.ts";

/** How a turn is followed. */
export interface FollowTurnOptions {
  /** Ends the wait: it then rejects. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * Follows an agent's stream, telling each event as it arrives, until its turn is over: it has answered without a
 * script, or a script of its returned nothing.
 *
 * @throws InputError when the time is over, or when the model's calls failed for good
 */
export async function followTurn(
  journal: JournalReader,
  stream: string,
  { signal, timeoutMs }: FollowTurnOptions,
): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const turn = new TurnWatch();
  const events = journal.subscribe({ stream }, { signal: AbortSignal.any([signal, timeout]) });
  for await (const event of events) {
    tell(event);
    const parsed = parseEvent(event);
    if (parsed.kind === "known" && turn.isOverAfter(parsed.event)) return;
  }
  if (signal.aborted) throw new Error("the wait was ended", { cause: signal.reason });
  throw new InputError(
    `${stream}: no answer within ${timeoutMs / 1_000} s; ${turn.describe()} What happened so far stays in the journal; ` +
      "give more time with --timeout, or look whether the workers run.",
  );
}

/** Tells a person of an event. The rest of the birth comes in one batch with its first, and needs no lines of its own. */
function tell(event: CommittedEvent): void {
  if (event.idempotencyKey?.startsWith("birth/") && event.type !== AGENT_CREATED) return;
  const { dim, bold } = colorsFor(process.stderr);
  const width = terminalWidth(process.stderr) - 28;
  const offset = bold(`@${event.offset}`.padStart(5));
  say(`${offset}  ${dim(eventAuthor(event).padEnd(17))}  ${summarizeEvent(event, width)}`);
}

/** Whether an agent has anything left to do. */
class TurnWatch {
  #state: AgentState = initialState;
  #hasAnswered = false;

  isOverAfter(event: KnownEvent): boolean {
    const before = this.#state;
    this.#state = foldEvent(before, event);
    const { openRequest, pendingTrigger, scripts, consecutiveLlmFailures } = this.#state;
    if (event.type === CONTEXT_ADDED && event.payload.role === "assistant") {
      const parse = agentConfig(this.#state).interpretResponses ? parseFencedReply : parseCodemodeReply;
      this.#hasAnswered = parse(event.payload.content).kind === "none";
    } else if (event.type === SCRIPT_RUN_SETTLED) {
      const { settlement } = event.payload;
      this.#hasAnswered = settlement.status === "succeeded" && settlement.result === undefined;
    }
    if (openRequest !== null || pendingTrigger !== null || scripts.size > 0) return false;
    if (before.openRequest !== null && consecutiveLlmFailures > 0) {
      throw new InputError("the model's calls failed; the last messages of the stream say why");
    }
    return this.#hasAnswered;
  }

  describe(): string {
    const { openRequest, pendingTrigger, scripts } = this.#state;
    if (openRequest !== null) return `request @${openRequest.offset} is open and nobody has answered it.`;
    if (scripts.size > 0) return "a script is running.";
    return pendingTrigger === null ? "nothing is open." : "nobody has opened the request yet.";
  }
}
