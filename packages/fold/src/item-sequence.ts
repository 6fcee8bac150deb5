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

  readonly length: number;
  /** Levels between root and leaves; 0 while everything is in the tail. */
  readonly #depth: number;
  readonly #root: Node;
  readonly #tail: Leaf;

  private constructor(length: number, depth: number, root: Node, tail: Leaf) {
    this.length = length;
    this.#depth = depth;
    this.#root = root;
    this.#tail = tail;
  }

  static from(items: Iterable<ContextItem>): ItemSequence {
    let sequence = ItemSequence.empty;
    for (const item of items) sequence = sequence.append(item);
    return sequence;
  }

  /** The sequence with one more item at its end. */
  append(item: ContextItem): ItemSequence {
    const tailStart = this.#tailStart();
    const used = this.length - tailStart;
    if (used < WIDTH) {
      // Only the newest sequence fills its tail; any other must not write over what the newest one sees.
      const tail = this.length > 0 && this.#tail.length === used ? this.#tail : this.#tail.slice(0, used);
      tail.push(item);
      return new ItemSequence(this.length + 1, this.#depth, this.#root, tail);
    }
    const leafIndex = tailStart >>> BITS;
    const isFull = this.#depth === 0 || leafIndex === 1 << (BITS * this.#depth);
    const depth = isFull ? this.#depth + 1 : this.#depth;
    const root = isFull && this.#depth > 0 ? [this.#root] : this.#root;
    return new ItemSequence(this.length + 1, depth, withLeaf(root, depth, leafIndex, this.#tail), [item]);
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
    if (position >= this.#tailStart()) return new ItemSequence(this.length, this.#depth, this.#root, leaf);
    const root = withLeaf(this.#root, this.#depth, position >>> BITS, leaf);
    return new ItemSequence(this.length, this.#depth, root, this.#tail);
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
    return this.length === 0 ? 0 : (this.length - 1) & ~MASK;
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
