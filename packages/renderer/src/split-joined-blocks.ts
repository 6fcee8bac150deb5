import type { ModelBlock } from "./mapping.ts";

/**
 * A request's blocks with those taken apart that were joined from several messages: one block for each message of
 * `messages`, in their order, whatever the mapping. Together their texts are what they were.
 */
export function splitJoinedBlocks(blocks: readonly ModelBlock[]): readonly ModelBlock[] {
  return blocks.flatMap((block) => block.joined ?? [block]);
}
