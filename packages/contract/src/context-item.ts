import { z } from "zod";
import { CONTEXT_ADDED } from "./event-types.ts";
import { isFlawless } from "./flawless-payload.ts";
import { SectionKey } from "./key.ts";
import type { ContextAddedPayload } from "./payloads.ts";

const offset = z.int().positive();
/** Kept as it is: a state holds only what was validated, so whatever needs tolerance now was never saved by one. */
const payload = z.custom<ContextAddedPayload>(
  (value) => isFlawless(CONTEXT_ADDED, value),
  "an item holds the payload of a context item",
);

/** An unkeyed message. `outside` is set when it came from outside: it renders as `user`, whatever role it claims. */
export const MessageItem = z.object({
  kind: z.literal("message"),
  offset,
  payload,
  outside: z.literal(true).optional(),
});
export type MessageItem = z.infer<typeof MessageItem>;

/** One occurrence of a section. `supersedes` is the offset of the sent occurrence that it updates. */
export const SectionItem = z.object({
  kind: z.literal("section"),
  offset,
  key: SectionKey,
  supersedes: offset.optional(),
  payload,
});
export type SectionItem = z.infer<typeof SectionItem>;

/** The permanent stamp of an opened request. `requestedAt` is the request event's `createdAt`, verbatim. */
export const RequestItem = z.object({ kind: z.literal("request"), offset, requestedAt: z.string() });
export type RequestItem = z.infer<typeof RequestItem>;

/** What the fold derives from events, in position order. */
export const ContextItem = z.discriminatedUnion("kind", [MessageItem, SectionItem, RequestItem]);
export type ContextItem = z.infer<typeof ContextItem>;
