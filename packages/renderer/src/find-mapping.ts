import { UnknownMappingError } from "./errors.ts";
import type { Mapping } from "./mapping.ts";
import { aiSdk } from "./mappings/ai-sdk.ts";
import { anthropicMessages } from "./mappings/anthropic-messages.ts";
import { gemini } from "./mappings/gemini.ts";
import { openAiChat } from "./mappings/openai-chat.ts";
import { openAiChatParts } from "./mappings/openai-chat-parts.ts";
import { openAiCompatible } from "./mappings/openai-compatible.ts";
import { openAiResponses } from "./mappings/openai-responses.ts";

/** Every released mapping. A released version stays: old requests are mapped with it again. */
const released: readonly Mapping[] = [
  openAiChat,
  openAiChatParts,
  openAiCompatible,
  openAiResponses,
  anthropicMessages,
  gemini,
  aiSdk,
];

/** The names and versions of every mapping that this release ships. */
export const mappingIds: readonly string[] = released.map(({ id }) => id);

/** By name and version, and by name alone; a later version of a name takes the place of an earlier one. */
const byName: ReadonlyMap<string, Mapping> = new Map(
  released.flatMap((mapping) => [
    [mapping.id, mapping],
    [mapping.id.slice(0, mapping.id.indexOf("@")), mapping],
  ]),
);

/**
 * Finds a mapping by name and version (`openai-chat@1`), or by name alone, which means its newest version.
 *
 * @throws UnknownMappingError (`unknown-mapping`) for one that this release does not ship.
 */
export function findMapping(id: string): Mapping {
  const found = byName.get(id);
  if (found === undefined) throw new UnknownMappingError(id, mappingIds);
  return found;
}
