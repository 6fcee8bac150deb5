import { isPlainObject } from "@promptfold/contract";
import type { BodyBlock, ReadBody } from "@promptfold/renderer";
import { asShortPart } from "./anthropic-parts.ts";
import { findBillingLine, withoutBilling } from "./billing-line.ts";
import { modelName } from "./provider-of.ts";
import type { OpaqueBody } from "./read-media.ts";
import { withoutEmptyFields } from "./without-empty-fields.ts";

/** A body as far as its provider tells it from another one. */
export interface NormalBody extends OpaqueBody {
  /** The billing line that was passed over. */
  readonly billingLine: string | undefined;
}

/**
 * A body without differences that are none to its provider: Chat Completions takes a string for a list of one text
 * part, and agents write the one or the other as they move a cache mark; so does Anthropic in a tool's result. Null and
 * empty fields are passed over, and by Anthropic Claude Code's billing line.
 */
export function asProviderReads(opaque: OpaqueBody): NormalBody {
  switch (opaque.body.format) {
    case "openai-chat": {
      const { body, media } = withoutEmptyFields(opaque);
      return { body: { ...body, blocks: body.blocks.map(asPart) }, media, billingLine: undefined };
    }
    case "anthropic-messages": {
      const { body, media } = opaque;
      return { ...withoutBillingLine({ ...body, blocks: body.blocks.map(asShortPart) }), media };
    }
    default:
      return { ...opaque, billingLine: undefined };
  }
}

function withoutBillingLine(body: ReadBody): Omit<NormalBody, "media"> {
  const at = body.blocks.findIndex(({ role }) => role !== "tool-definition");
  const first = body.blocks[at];
  const line = first?.role === "system" && isToClaude(body) ? findBillingLine(first.text) : undefined;
  if (first === undefined || line === undefined) return { body, billingLine: undefined };
  const blocks = body.blocks.with(at, { ...first, text: withoutBilling(first.text) });
  return { body: { ...body, blocks }, billingLine: line };
}

/**
 * A body without the tools whose loading is deferred: their definitions are no part of the prompt until the model finds
 * one, and then they come after what was sent.
 */
export function withoutDeferredTools(body: ReadBody): ReadBody {
  const blocks = body.blocks.filter((block) => !isDeferredTool(block));
  return blocks.length === body.blocks.length ? body : { ...body, blocks };
}

function isDeferredTool({ role, text }: BodyBlock): boolean {
  if (role !== "tool-definition" || !text.includes('"defer_loading":true')) return false;
  try {
    const tool: unknown = JSON.parse(text.slice(text.indexOf("{")));
    return isPlainObject(tool) && tool["defer_loading"] === true;
  } catch {
    return false; // a tool of the AI SDK whose name has a brace in it
  }
}

function asPart(block: BodyBlock): BodyBlock {
  return block.shape === "string" ? { ...block, shape: "part" } : block;
}

function isToClaude(body: ReadBody): boolean {
  return /claude/.test(modelName(body) ?? "claude");
}
