import { BIRTH_WINDOW_MS } from "@promptfold/agent-llm-request";
import {
  CONTEXT_ADDED,
  LLM_REQUEST_REQUESTED,
  LLM_REQUEST_SETTLED,
  parseEvent,
  type StoredEvent,
} from "@promptfold/contract";
import { agentConfig, type AgentState, foldEvents, initialState, planTurn } from "@promptfold/fold";
import type { CommittedEvent, JournalReader } from "@promptfold/journal";
import { formatNote } from "../terminal/say-note.ts";

/** Where waiting agents are read, and whom to tell of them. */
export interface WaitNotesOptions {
  readonly journal: JournalReader;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  /** How long nothing may happen before it is told, in milliseconds. */
  readonly patienceMs?: number;
}

/**
 * Tells what an agent waits for when a message or a failure is not soon followed by a request: the window after its birth,
 * or the pause after failures. An agent that goes on costs nothing here.
 */
export class WaitNotes {
  readonly #options: WaitNotesOptions;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(options: WaitNotesOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => {
      for (const timer of this.#timers.values()) clearTimeout(timer);
    });
  }

  /** Takes in an event of any agent, in order. */
  observe(event: CommittedEvent): void {
    const { stream } = event;
    if (event.type === LLM_REQUEST_REQUESTED) this.#forget(stream);
    if (!mayBeginWait(event) || this.#timers.has(stream) || this.#options.signal.aborted) return;
    const timer = setTimeout(() => {
      this.#timers.delete(stream);
      // A note is not worth a failure; whoever works on the journal hears of one.
      this.#look(stream).catch(() => undefined);
    }, this.#options.patienceMs ?? 1_500);
    this.#timers.set(stream, timer);
  }

  #forget(stream: string): void {
    clearTimeout(this.#timers.get(stream));
    this.#timers.delete(stream);
  }

  async #look(stream: string): Promise<void> {
    const { journal, say, signal } = this.#options;
    let state = initialState;
    for await (const page of journal.read(stream)) state = foldEvents(page, { from: state }).state;
    const [planned] = planTurn(state);
    const due = Date.parse(planned?.dueAt ?? "");
    if (!(due > Date.now()) || signal.aborted) return;
    const seconds = Math.ceil((due - Date.now()) / 1_000);
    say(
      formatNote(
        stream,
        `${describeWait(state)} until ${new Date(due).toLocaleTimeString("en-GB")} (${seconds} s)`,
      ),
    );
  }
}

function describeWait(state: AgentState): string {
  const { consecutiveLlmFailures: failures } = state;
  if (failures > 0)
    return `after ${failures === 1 ? "a failure" : `${failures} failures in a row`} the next request waits`;
  if (agentConfig(state).llmRequestDebounceMs >= BIRTH_WINDOW_MS && state.sentThrough === 0)
    return "the newborn agent's first request waits for a worker to adjust its prompt (promptfold worker),";
  return "the next request waits for more messages";
}

/** A message from somebody else than the model, or a failed request. */
function mayBeginWait(event: StoredEvent): boolean {
  if (event.type !== CONTEXT_ADDED && event.type !== LLM_REQUEST_SETTLED) return false;
  const parsed = parseEvent(event);
  if (parsed.kind !== "known") return false;
  if (parsed.event.type === LLM_REQUEST_SETTLED) return parsed.event.payload.result.status === "failed";
  if (parsed.event.type !== CONTEXT_ADDED) return false;
  const { key, role } = parsed.event.payload;
  return key === undefined && (role === "user" || role === "developer");
}
