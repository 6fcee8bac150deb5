import { z } from "zod";
import { Role } from "./payloads.ts";

/**
 * What a message came from. The protocol message has no event (offset 0); the standing document is named by its
 * first section's offset; every other message by its own item's.
 */
export const MessageOrigin = z.object({
  kind: z.enum(["protocol", "standing-document", "message", "section", "request"]),
  offset: z.int().nonnegative(),
});
export type MessageOrigin = z.infer<typeof MessageOrigin>;

/** One message of a rendered request, before any provider mapping. */
export const Message = z.object({ role: Role, content: z.string(), from: MessageOrigin });
export type Message = z.infer<typeof Message>;
