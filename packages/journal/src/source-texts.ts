import { JournalStorageError } from "./errors.ts";
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

  /** The source of a stored text, at `stream` and `offset`. Text that is no source any more throws `storage-corrupt`. */
  sourceOf(text: string, stream?: string, offset?: number): Source {
    const known = this.#sources.get(text);
    if (known !== undefined) return known;
    if (this.#sources.size >= CAPACITY) this.#sources.clear();
    const source = Object.freeze(parseSource(text, stream, offset));
    this.#sources.set(text, source);
    return source;
  }
}

function parseSource(text: string, stream: string | undefined, offset: number | undefined): Source {
  let source: unknown;
  let cause: unknown;
  try {
    source = JSON.parse(text);
  } catch (error) {
    cause = error;
  }
  if (typeof source === "object" && source !== null) return source as Source;
  const where = stream === undefined ? "an event" : `${stream}@${String(offset)}`;
  throw new JournalStorageError(
    "corrupt",
    `${where}: the stored source is not a JSON object; restore a backup or an export of the journal`,
    { cause },
  );
}
