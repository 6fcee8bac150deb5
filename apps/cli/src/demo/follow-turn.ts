import { AGENT_CREATED, parseEvent } from "@promptfold/contract";
import type { CommittedEvent, JournalReader } from "@promptfold/journal";
import { TurnWatch } from "../agents/turn-watch.ts";
import { InputError } from "../errors.ts";
import { tellEvent } from "../terminal/tell-event.ts";

/** How a turn is followed. */
export interface FollowTurnOptions {
  /** Ends the wait: it then rejects. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * Follows an agent's stream from its birth, telling each event as it arrives, until its first turn is over.
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
    if (!isRestOfBirth(event)) tellEvent(event);
    const parsed = parseEvent(event);
    const progress = parsed.kind === "known" ? turn.observe(parsed.event) : "going";
    if (progress === "answered") return;
    if (progress === "failed") {
      throw new InputError(`${stream}@${event.offset}: the model's calls failed; the messages above say why`);
    }
  }
  if (signal.aborted) throw new Error("the wait was ended", { cause: signal.reason });
  throw new InputError(
    `${stream}: no answer within ${timeoutMs / 1_000} s: ${turn.describe()}; see that the workers run, or wait longer ` +
      "with --timeout",
  );
}

/** The birth is one batch: its first event stands for all of it. */
function isRestOfBirth({ idempotencyKey, type }: CommittedEvent): boolean {
  return idempotencyKey?.startsWith("birth/") === true && type !== AGENT_CREATED;
}
