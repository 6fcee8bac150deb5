/** What the model reads of a block: who speaks, and what is said. */
interface SpokenBlock {
  readonly role: string;
  readonly text: string;
}

/** Whether two blocks say the same to the model: the role and the text decide. */
export function isSameBlock(a: SpokenBlock | undefined, b: SpokenBlock | undefined): boolean {
  return a !== undefined && b !== undefined && a.role === b.role && a.text === b.text;
}

/**
 * With how many blocks a later request begins as an earlier one did: the prefix that a provider can reuse.
 *
 * @param isSame - what makes two blocks the same; by default what the model reads of them
 * @param limit - blocks from there on are not looked at
 */
export function countSharedBlocks<Block extends SpokenBlock>(
  previous: readonly Block[],
  next: readonly Block[],
  isSame: (a: Block, b: Block) => boolean = isSameBlock,
  limit: number = Infinity,
): number {
  const end = Math.min(previous.length, next.length, limit);
  let shared = 0;
  while (shared < end && isSame(previous[shared] as Block, next[shared] as Block)) shared++;
  return shared;
}
