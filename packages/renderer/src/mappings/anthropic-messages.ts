import { defineMapping } from "../define-mapping.ts";
import type { CacheMark, Mapping } from "../mapping.ts";
import type { MergingLayout } from "../mapping-definition.ts";
import { positiveInteger } from "../parameters.ts";
import { type AnthropicCacheControl, cacheControl, claudeCacheLimits } from "./claude-cache.ts";
import { claudeModel, type ClaudeModel } from "./claude-models.ts";
import { twoRolePlacement } from "./two-role-placement.ts";

/** A text block of Anthropic's Messages API. */
export interface AnthropicTextBlock {
  readonly type: "text";
  readonly text: string;
  readonly cache_control?: AnthropicCacheControl;
}

/** One message of Anthropic's Messages API: blocks from the start, so that its shape never changes. */
export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: AnthropicTextBlock[];
}

/** A request body of Anthropic's Messages API, without transport options such as `stream`. */
export interface AnthropicMessagesBody {
  readonly model: string;
  readonly max_tokens: number;
  readonly thinking?:
    { readonly type: "enabled"; readonly budget_tokens: number } | { readonly type: "adaptive" };
  readonly system: AnthropicTextBlock[];
  readonly messages: AnthropicMessage[];
}

/** The API requires a limit; this one holds where nothing was configured. */
const DEFAULT_MAX_TOKENS = 8192;
/** The least that the API takes as a thinking budget. */
const LEAST_THINKING_BUDGET = 1024;

function textBlock(text: string, mark: CacheMark | undefined): AnthropicTextBlock {
  return mark === undefined
    ? { type: "text", text }
    : { type: "text", text, cache_control: cacheControl(mark) };
}

function thinking(
  model: ClaudeModel,
  budget: number | undefined,
): Pick<AnthropicMessagesBody, "thinking"> & { readonly added: number } {
  if (budget === undefined) return { added: 0 };
  if (!model.takesThinkingBudget) return { thinking: { type: "adaptive" }, added: budget };
  const tokens = Math.max(budget, LEAST_THINKING_BUDGET);
  return { thinking: { type: "enabled", budget_tokens: tokens }, added: tokens };
}

const layout: MergingLayout<AnthropicMessagesBody, AnthropicMessage, AnthropicTextBlock> = {
  merges: true,
  head({ model, parameters, standing }) {
    const budget = positiveInteger(parameters["thinkingBudget"]);
    const { added, ...thought } = thinking(claudeModel(model), budget);
    return {
      model,
      // Thinking counts against the limit: what the answer may take comes on top of it.
      max_tokens: (positiveInteger(parameters["maxOutputTokens"]) ?? DEFAULT_MAX_TOKENS) + added,
      ...thought,
      system: standing.map(({ text, mark }) => textBlock(text, mark)),
      messages: [],
    };
  },
  fill: (head, messages) => ({ ...head, messages }),
  part: textBlock,
  // The rules let no other role through.
  entry: (role, content) => ({ role: role as AnthropicMessage["role"], content }),
};

/**
 * Anthropic Messages: protocol and standing document are the top-level `system` list, and nothing that comes later
 * joins them. Later system and developer messages are labelled user blocks at their place: a system message inside
 * `messages` is refused by older models, and newer ones take it only before an assistant turn, which a failed,
 * interrupted or blank answer would never bring. The first message must be the user's, so an assistant text that
 * begins the timeline is labelled too. Neighbours of one role are blocks of one message.
 *
 * A request ends with its stamp, so its last message is the user's and no assistant text is ever final: nothing has to
 * be trimmed. `maxOutputTokens` is what the answer may take; a thinking budget comes on top. Models that no longer
 * take a budget think adaptively instead. `cacheTtl: "1h"` among the parameters keeps what never changes for an hour.
 */
export const anthropicMessages: Mapping<AnthropicMessagesBody> = defineMapping<AnthropicMessagesBody>({
  id: "anthropic-messages@1",
  rules: twoRolePlacement,
  layout,
  limits: claudeCacheLimits,
  explain: () => [
    "The protocol and the standing document are the top-level system list; nothing later is moved there.",
    "Later system and developer messages are user blocks that begin with a label, where they stand.",
    "Neighbours of one role are blocks of one message.",
  ],
});
