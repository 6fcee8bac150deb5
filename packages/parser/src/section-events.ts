import { CONTEXT_ADDED, type ContextAddedPayload, isSectionKey, type Role } from "@promptfold/contract";
import { type BatchPlace, DuplicateSectionKeyError, InvalidSectionKeyError } from "./errors.ts";
import { hashJson } from "./hash-json.ts";
import type { Section } from "./section.ts";

/** An event that adds or updates one section, ready to be appended. */
export interface SectionEvent {
  readonly type: typeof CONTEXT_ADDED;
  readonly payload: ContextAddedPayload & { readonly key: string };
  readonly idempotencyKey: string;
}

/** `base` starts every idempotency key of the batch; `role` is `system` unless given. */
export interface SectionEventOptions {
  readonly base: string;
  readonly role?: Role | undefined;
}

/**
 * The batch of keyed events for a prompt, one per section in order, to be appended in one atomic call. Idempotency keys
 * are `<base>:<index>:<sectionKey>`, where the given base is followed by `/` and a hash of the batch's payloads: the same
 * prompt appended twice is one fact, a changed one is a new fact.
 *
 * @throws DuplicateSectionKeyError, InvalidSectionKeyError
 */
export function sectionEvents(
  sections: readonly Section[],
  { base, role = "system" }: SectionEventOptions,
): SectionEvent[] {
  refuseBadKeys(sections);
  const payloads = sections.map((section) => sectionPayload(section, role));
  const hash = hashJson(payloads);
  return payloads.map((payload, index) => ({
    type: CONTEXT_ADDED,
    payload,
    idempotencyKey: `${base}/${hash}:${index}:${payload.key}`,
  }));
}

/** The payload that adds a section. */
export function sectionPayload(section: Section, role: Role): SectionEvent["payload"] {
  const { key, content, origin } = section;
  return { role, content, key, ...(origin === undefined ? {} : { origin }) };
}

/** Refuses a batch whose keys the fold could not keep apart. */
export function refuseBadKeys(sections: readonly Section[]): void {
  const known = new Map<string, BatchPlace>();
  for (const [index, { key, origin }] of sections.entries()) {
    if (!isSectionKey(key)) throw new InvalidSectionKeyError(key);
    const place = { index, origin };
    const first = known.get(key);
    if (first !== undefined) throw new DuplicateSectionKeyError(key, first, place);
    known.set(key, place);
  }
}
