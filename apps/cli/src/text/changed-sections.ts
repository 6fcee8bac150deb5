import type { AgentState } from "@promptfold/fold";
import { type RuleInForce, rulesInForce } from "@promptfold/replay";

/** A section that holds in one of two states and not, or with other words, in the other. */
export interface ChangedSection {
  readonly key: string;
  readonly change: "added" | "changed" | "removed";
  /** Offset of the event that set the text that holds now; that held before, for a removed one. */
  readonly since: number;
}

/** The sections that changed from an earlier state to a later one, in the order in which they appear. */
export function changedSections(earlier: AgentState, later: AgentState): ChangedSection[] {
  const before = byKey(rulesInForce(earlier));
  const after = byKey(rulesInForce(later));
  const changed: ChangedSection[] = [];
  for (const [key, { content, role, since }] of after) {
    const old = before.get(key);
    if (old === undefined) changed.push({ key, change: "added", since });
    else if (old.content !== content || old.role !== role) changed.push({ key, change: "changed", since });
  }
  for (const [key, { since }] of before) {
    if (!after.has(key)) changed.push({ key, change: "removed", since });
  }
  return changed;
}

function byKey(rules: readonly RuleInForce[]): Map<string, RuleInForce> {
  return new Map(rules.map((rule) => [rule.key, rule]));
}
