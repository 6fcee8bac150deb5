import type { Role, SectionItem } from "@promptfold/contract";
import { type AgentState, contextItems } from "@promptfold/fold";

/** A section that holds now. */
export interface RuleInForce {
  readonly key: string;
  readonly role: Role;
  readonly content: string;
  /** Offset of the event that set the text. */
  readonly since: number;
  /** The sent occurrence it replaced: its offset, and its text while that still stands in the context. */
  readonly replaced: { readonly offset: number; readonly content: string | undefined } | undefined;
}

/** For each key, in the order in which keys first appear: the text that holds, since when, and what it replaced. */
export function rulesInForce(state: AgentState): RuleInForce[] {
  const latest = new Map<string, SectionItem>();
  const byOffset = new Map<number, SectionItem>();
  for (const item of contextItems(state)) {
    if (item.kind !== "section") continue;
    latest.set(item.key, item);
    byOffset.set(item.offset, item);
  }
  return [...latest.values()].map(({ key, offset, supersedes, payload }) => ({
    key,
    role: payload.role,
    content: payload.content,
    since: offset,
    replaced:
      supersedes === undefined
        ? undefined
        : { offset: supersedes, content: byOffset.get(supersedes)?.payload.content },
  }));
}
