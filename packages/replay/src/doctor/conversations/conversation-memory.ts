import { type BodyContent } from "../bodies/body-content.ts";
import { BoundedMap } from "../bounded-map.ts";
import type { Remembered } from "./find-conversation.ts";

/** How many conversations are tried for any body, most recently continued first. */
const RECENT = 16;
/** How many more are tried because they have texts of the body. */
const LIKELY = 16;
/** How many conversations are held at a time, and how much of their text, in UTF-16 units. */
const MAX_CONVERSATIONS = 10_000;
const MAX_SIZE = 32 * 1024 * 1024;
/** What a block takes besides its text. */
const BLOCK_SIZE = 150;
/** By how many of its first and last messages' texts a conversation is found, and how many have one text in common. */
const FIRST_TEXTS = 8;
const LAST_TEXTS = 16;
const MAX_OWNERS = 8;
/** How many conversations are known by where they stood, after their texts were let go. */
const MAX_TRACES = 100_000;

/**
 * Conversations in bounded memory, and the few of them that a body may belong to. When there are too many, the text of
 * those is let go that were continued longest ago; where they stood is known for longer.
 */
export class ConversationMemory<Each extends Remembered> {
  /** Most recently continued last. */
  readonly #all = new Set<Each>();
  readonly #spares = new Set<Each>();
  #recent: Each[] = [];
  readonly #byEnd = new Map<number, Each[]>();
  readonly #byText = new Map<number, Each[]>();
  readonly #traces = new BoundedMap<number, true>(MAX_TRACES);
  #size = 0;
  #letGo = 0;

  /** How many conversations' texts were let go. */
  get letGo(): number {
    return this.#letGo;
  }

  remember(conversation: Each): void {
    this.#hold(conversation, this.#all);
    this.#recent.unshift(conversation);
    for (const { content } of this.#recent.splice(RECENT)) content.forgetDerived();
    this.#shrink();
  }

  /** Remembers a conversation that is forgotten before all others. */
  rememberSpare(spare: Each): void {
    this.#hold(spare, this.#spares);
    this.#shrink();
  }

  forget(conversation: Each): void {
    if (!this.#all.delete(conversation) && !this.#spares.delete(conversation)) return;
    this.#size -= sizeOf(conversation.content);
    this.#recent = this.#recent.filter((each) => each !== conversation);
    remove(this.#byEnd, conversation.content.end, conversation);
    for (const text of textsOf(conversation.content)) remove(this.#byText, text, conversation);
  }

  /** Puts a changed conversation in the place of what it was. */
  replace(conversation: Each, changed: Each): void {
    const at = this.#recent.indexOf(conversation);
    const isSpare = this.#spares.has(conversation);
    this.forget(conversation);
    this.#hold(changed, isSpare ? this.#spares : this.#all);
    if (at !== -1) this.#recent.splice(at, 0, changed);
  }

  /** The conversations that a body may belong to, most recently continued first, spares last. */
  candidates(content: BodyContent): readonly Each[] {
    const found = new Set<Each>(this.#recent);
    for (const each of this.#endingInside(content)) found.add(each);
    for (const each of this.#sharingTexts(content)) found.add(each);
    const byNewest = [...found].sort((a, b) => b.content.number - a.content.number);
    return [
      ...byNewest.filter((each) => !this.#spares.has(each)),
      ...byNewest.filter((each) => this.#spares.has(each)),
    ];
  }

  /** Whether a body begins with all of a conversation whose texts were let go. */
  hasTrace(content: BodyContent): boolean {
    return this.#findTrace(content) !== undefined;
  }

  /** The same; that conversation is forgotten then. */
  takeTrace(content: BodyContent): boolean {
    const trace = this.#findTrace(content);
    if (trace !== undefined) this.#traces.delete(trace);
    return trace !== undefined;
  }

  #findTrace({ ends, lead }: BodyContent): number | undefined {
    if (this.#letGo === 0) return undefined;
    return ends.findLast((end, at) => at > lead && this.#traces.get(end) !== undefined);
  }

  #endingInside({ ends }: BodyContent): Each[] {
    const found: Each[] = [];
    for (let at = ends.length - 1; at > 0 && found.length < LIKELY; at--) {
      found.push(...(this.#byEnd.get(ends[at] ?? 0) ?? []));
    }
    return found;
  }

  #sharingTexts({ hashes, lead }: BodyContent): Each[] {
    const counts = new Map<Each, number>();
    for (let at = lead; at < hashes.length; at++) {
      for (const each of this.#byText.get(hashes[at]?.whole ?? 0) ?? []) {
        counts.set(each, (counts.get(each) ?? 0) + 1);
      }
    }
    return [...counts]
      .sort(([a, ofA], [b, ofB]) => ofB - ofA || b.content.number - a.content.number)
      .slice(0, LIKELY)
      .map(([each]) => each);
  }

  #hold(conversation: Each, where: Set<Each>): void {
    where.add(conversation);
    this.#size += sizeOf(conversation.content);
    add(this.#byEnd, conversation.content.end, conversation);
    for (const text of textsOf(conversation.content)) add(this.#byText, text, conversation);
  }

  #shrink(): void {
    const count = (): number => this.#all.size + this.#spares.size;
    while (count() > RECENT && (this.#size > MAX_SIZE || count() > MAX_CONVERSATIONS)) {
      const [oldest] = this.#spares.size > 0 ? this.#spares : this.#all;
      if (oldest === undefined) return;
      this.forget(oldest);
      this.#letGo++;
      this.#traces.set(oldest.content.end, true);
    }
  }
}

function sizeOf({ body }: BodyContent): number {
  return body.blocks.reduce((sum, { text }) => sum + text.length + BLOCK_SIZE, 0);
}

/** The texts by which a conversation is found: those of its first and last messages. */
function textsOf({ hashes, lead }: BodyContent): ReadonlySet<number> {
  const texts = hashes.slice(lead);
  const chosen =
    texts.length <= FIRST_TEXTS + LAST_TEXTS
      ? texts
      : [...texts.slice(0, FIRST_TEXTS), ...texts.slice(-LAST_TEXTS)];
  return new Set(chosen.map(({ whole }) => whole));
}

function add<Each>(index: Map<number, Each[]>, key: number, each: Each): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, [each]);
  else {
    known.push(each);
    if (known.length > MAX_OWNERS) known.shift();
  }
}

function remove<Each>(index: Map<number, Each[]>, key: number, each: Each): void {
  const known = index.get(key);
  if (known === undefined) return;
  const at = known.indexOf(each);
  if (at !== -1) known.splice(at, 1);
  if (known.length === 0) index.delete(key);
}
