import type { Source } from "./journal.ts";

/** Journals hold few distinct sources; beyond this many the cache starts over. */
const CAPACITY = 1_000;

/** Sources to and from their stored text, each parsed once: all events of one source share one frozen object. */
export class SourceTexts {
  readonly #sources = new Map<string, Source>();
  readonly #texts = new WeakMap<Source, string>();

  textOf(source: Source): string {
    const known = this.#texts.get(source);
    if (known !== undefined) return known;
    const text = JSON.stringify(source);
    this.#texts.set(source, text);
    return text;
  }

  sourceOf(text: string): Source {
    const known = this.#sources.get(text);
    if (known !== undefined) return known;
    if (this.#sources.size >= CAPACITY) this.#sources.clear();
    const source = Object.freeze(JSON.parse(text) as Source);
    this.#sources.set(text, source);
    return source;
  }
}
