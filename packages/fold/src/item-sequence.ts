import type { ContextItem } from "@promptfold/contract";

const BITS = 5;
const WIDTH = 1 << BITS;
const MASK = WIDTH - 1;

type Leaf = ContextItem[];
type Node = readonly (Node | Leaf)[];

/**
 * An immutable sequence of context items in which adding one item costs the same at any length: a tree of full
 * leaves, and a tail leaf that the newest sequences share. Appending to the newest sequence writes into the shared
 * tail beyond what older sequences see; appending to an older one copies that tail, at most {@link WIDTH} items.
 */
export class ItemSequence {
  static readonly empty: ItemSequence = new ItemSequence(0, 0, [], []);

  #length: number;
  /** Levels between root and leaves; 0 while everything is in the tail. */
  #depth: number;
  #root: Node;
  #tail: Leaf;
  /** Whether appending changes this very sequence, since its one holder wants it so. */
  readonly #isOwned: boolean;

  private constructor(length: number, depth: number, root: Node, tail: Leaf, isOwned = false) {
    this.#length = length;
    this.#depth = depth;
    this.#root = root;
    this.#tail = tail;
    this.#isOwned = isOwned;
  }

  get length(): number {
    return this.#length;
  }

  /** The same items in a sequence that appending changes in place, for one holder who hands it to nobody. */
  toOwned(): ItemSequence {
    return new ItemSequence(this.#length, this.#depth, this.#root, this.#tail, true);
  }

  /** The same items in a sequence that never changes. */
  toShared(): ItemSequence {
    return new ItemSequence(this.#length, this.#depth, this.#root, this.#tail);
  }

  static from(items: Iterable<ContextItem>): ItemSequence {
    const sequence = new ItemSequence(0, 0, [], [], true);
    for (const item of items) sequence.#push(item);
    return sequence.toShared();
  }

  /** The sequence with one more item at its end. */
  append(item: ContextItem): ItemSequence {
    const next = this.#isOwned ? this : this.toShared();
    next.#push(item);
    return next;
  }

  #push(item: ContextItem): void {
    const tailStart = this.#tailStart();
    const used = this.#length - tailStart;
    if (used < WIDTH) {
      // Only the newest sequence fills its tail; any other must not write over what the newest one sees.
      if (this.#length === 0 || this.#tail.length !== used) this.#tail = this.#tail.slice(0, used);
      this.#tail.push(item);
    } else {
      const leafIndex = tailStart >>> BITS;
      const isFull = this.#depth === 0 || leafIndex === 1 << (BITS * this.#depth);
      const root = isFull && this.#depth > 0 ? [this.#root] : this.#root;
      if (isFull) this.#depth += 1;
      this.#root = withLeaf(root, this.#depth, leafIndex, this.#tail);
      this.#tail = [item];
    }
    this.#length += 1;
  }

  /** The item at a position from 0. @throws RangeError where there is none. */
  at(position: number): ContextItem {
    this.#requirePosition(position);
    return this.#leafOf(position)[position & MASK] as ContextItem;
  }

  /** The sequence with another item at a position from 0. */
  replace(position: number, item: ContextItem): ItemSequence {
    this.#requirePosition(position);
    const leaf = this.#leafOf(position).slice();
    leaf[position & MASK] = item;
    if (position >= this.#tailStart())
      return new ItemSequence(this.#length, this.#depth, this.#root, leaf, this.#isOwned);
    const root = withLeaf(this.#root, this.#depth, position >>> BITS, leaf);
    return new ItemSequence(this.#length, this.#depth, root, this.#tail, this.#isOwned);
  }

  /** The items from a position on, in order. */
  *from(position: number): Generator<ContextItem, void, undefined> {
    for (let index = position; index < this.length;) {
      const leaf = this.#leafOf(index);
      const end = Math.min(this.length, (index | MASK) + 1);
      for (; index < end; index++) yield leaf[index & MASK] as ContextItem;
    }
  }

  [Symbol.iterator](): Generator<ContextItem, void, undefined> {
    return this.from(0);
  }

  #requirePosition(position: number): void {
    if (Number.isInteger(position) && position >= 0 && position < this.length) return;
    throw new RangeError(`no item at position ${position} of ${this.length}`);
  }

  #tailStart(): number {
    return this.#length === 0 ? 0 : (this.#length - 1) & ~MASK;
  }

  #leafOf(position: number): Leaf {
    if (position >= this.#tailStart()) return this.#tail;
    let node: Node | Leaf = this.#root;
    for (let level = this.#depth - 1; level >= 0; level--) {
      // Every position below the tail has its path: the tree is filled from the left.
      node = node[((position >>> BITS) >>> (BITS * level)) & MASK] as Node | Leaf;
    }
    return node as Leaf;
  }
}

/** A copy of the tree with one leaf set; shares every branch off the path to it. */
function withLeaf(node: Node | undefined, depth: number, leafIndex: number, leaf: Leaf): Node {
  const copy = node === undefined ? [] : node.slice();
  const slot = (leafIndex >>> (BITS * (depth - 1))) & MASK;
  copy[slot] = depth === 1 ? leaf : withLeaf(copy[slot] as Node | undefined, depth - 1, leafIndex, leaf);
  return copy;
}
