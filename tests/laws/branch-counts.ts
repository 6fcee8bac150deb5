import {
  CONTEXT_ADDED,
  CONTEXT_REWRITTEN,
  type ContextAddedPayload,
  isCompaction,
  LLM_REQUEST_REQUESTED,
  parseEvent,
  type StoredEvent,
} from "@promptfold/contract";
import { type AgentState, foldEvent, initialState, latestSection } from "@promptfold/fold";

/** The branches of the fold that a generator must reach, or its properties prove little. */
const branches = [
  "coalesce",
  "supersede",
  "guard",
  "rewrite",
  "compaction",
  "void",
  "skipped",
  "outside message",
  "three and more opened requests",
] as const;

type Branch = (typeof branches)[number];

/** Counts how often generated streams reach each branch of the fold. */
export class BranchCounts {
  readonly #counts = new Map<Branch, number>(branches.map((branch) => [branch, 0]));

  /** Folds one stream and counts what happened. */
  add(events: readonly StoredEvent[]): void {
    let state = initialState;
    let opened = 0;
    for (const stored of events) {
      const parsed = parseEvent(stored);
      if (parsed.kind !== "known") {
        this.#hit("skipped");
        continue;
      }
      const next = foldEvent(state, parsed.event);
      if (parsed.event.type === LLM_REQUEST_REQUESTED) {
        if (next === state) this.#hit("guard");
        else opened++;
      } else if (parsed.event.type === CONTEXT_REWRITTEN) {
        if (next !== state) this.#hit("rewrite");
      } else if (parsed.event.type === CONTEXT_ADDED) {
        const branch = contextBranch(state, next, parsed.event.payload, parsed.event.trust);
        if (branch !== undefined) this.#hit(branch);
      }
      state = next;
    }
    if (opened >= 3) this.#hit("three and more opened requests");
  }

  /** The branches never reached; empty when the generator does its work. */
  missing(): Branch[] {
    return branches.filter((branch) => this.#counts.get(branch) === 0);
  }

  toString(): string {
    return [...this.#counts].map(([branch, count]) => `${branch} ${count}`).join(", ");
  }

  #hit(branch: Branch): void {
    this.#counts.set(branch, (this.#counts.get(branch) ?? 0) + 1);
  }
}

function contextBranch(
  before: AgentState,
  after: AgentState,
  payload: ContextAddedPayload,
  trust: string,
): Branch | undefined {
  if (after === before) return "void";
  if (isCompaction(payload)) return "compaction";
  if (payload.key === undefined) return trust === "outside" ? "outside message" : undefined;
  if (after.items.length === before.items.length) return "coalesce";
  return latestSection(after, payload.key)?.supersedes === undefined ? undefined : "supersede";
}
