import type { ParsedEvent, PayloadIssue } from "@promptfold/contract";

/** An event that the fold passed over: of an unknown type, or with a payload that breaks its schema. */
export interface SkippedEvent {
  readonly offset: number;
  readonly type: string;
  readonly kind: "unknown" | "malformed";
  /** Why a malformed payload was refused; empty for an unknown type. */
  readonly issues: readonly PayloadIssue[];
}

/** What is reported of an event that cannot be folded: where it stands, its type, and why. */
export function skippedEvent(parsed: Exclude<ParsedEvent, { readonly kind: "known" }>): SkippedEvent {
  const { offset, type } = parsed.event;
  return { offset, type, kind: parsed.kind, issues: parsed.kind === "malformed" ? parsed.issues : [] };
}
