import { CONTEXT_ADDED, type ContextItem, type SectionItem } from "@promptfold/contract";
import { hashJson } from "./hash-json.ts";
import {
  refuseBadKeys,
  type SectionEvent,
  type SectionEventOptions,
  sectionPayload,
} from "./section-events.ts";
import type { Section } from "./section.ts";

/**
 * The events that bring an agent's sections up to date: only those whose role or content differs from the latest
 * occurrence of their key in `current`, the agent's context items in position order. Idempotency keys are
 * `<base>/after-<offset>/<hash>:<index>:<sectionKey>` with the offset of that latest occurrence (0 for a new key), so a
 * text that returns to an earlier version is a new fact.
 *
 * @throws DuplicateSectionKeyError, InvalidSectionKeyError
 */
export function updateEvents(
  sections: readonly Section[],
  current: Iterable<ContextItem>,
  { base, role = "system" }: SectionEventOptions,
): SectionEvent[] {
  refuseBadKeys(sections);
  const latest = new Map<string, SectionItem>();
  for (const item of current) if (item.kind === "section") latest.set(item.key, item);
  const changed = sections
    .map((section) => sectionPayload(section, role))
    .filter(({ key, content }) => {
      const held = latest.get(key)?.payload;
      return held === undefined || held.content !== content || held.role !== role;
    });
  const hash = hashJson(changed);
  return changed.map((payload, index) => ({
    type: CONTEXT_ADDED,
    payload,
    idempotencyKey: `${base}/after-${latest.get(payload.key)?.offset ?? 0}/${hash}:${index}:${payload.key}`,
  }));
}
