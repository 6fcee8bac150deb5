import { isDeepStrictEqual } from "node:util";
import { EventTooLargeError, InvalidEventError, JsonlError } from "./errors.ts";
import type { CommittedEvent, Journal, JournalReader, RestoredEvent } from "./journal.ts";
import { formatJsonlEvent, parseJsonlEvent } from "./jsonl-event.ts";
import { jsonlLines } from "./jsonl-lines.ts";

/** How far an export or import has come. */
export interface JsonlProgress {
  readonly events: number;
  readonly bytes: number;
}

/** Which events {@link exportJsonl} writes, and who is told how far it is. */
export interface ExportOptions {
  readonly after?: number | undefined;
  readonly through?: number | undefined;
  /** Called after each page. */
  readonly onProgress?: ((progress: JsonlProgress) => void) | undefined;
}

/**
 * A stream as JSONL, in chunks of whole lines that each end in a line feed; memory holds one page. What it gives,
 * {@link importJsonl} restores exactly.
 */
export async function* exportJsonl(
  journal: JournalReader,
  stream: string,
  { onProgress, ...range }: ExportOptions = {},
): AsyncGenerator<string, void, void> {
  let events = 0;
  let bytes = 0;
  for await (const page of journal.read(stream, range)) {
    const chunk = page.map((event) => `${formatJsonlEvent(event)}\n`).join("");
    events += page.length;
    bytes += Buffer.byteLength(chunk);
    yield chunk;
    onProgress?.({ events, bytes });
  }
}

/** A last line that was never written to its end. */
export interface TornLine {
  readonly line: number;
  /** What is there of it, at most 200 characters. */
  readonly text: string;
}

/** Where a reader of JSONL stands when it is done. */
export interface JsonlReport {
  /** The last line, when it was torn: it was skipped. */
  readonly torn?: TornLine;
}

type Chunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * The events of a JSONL file with the lines they stand on, read as a stream. A last line without a line feed that is not
 * JSON is torn: `onTorn` hears of it and it is skipped. Any other line that is no event throws `JsonlError`.
 */
export async function* readJsonl(
  chunks: Chunks,
  onTorn?: (torn: TornLine) => void,
): AsyncGenerator<
  { readonly event: RestoredEvent; readonly line: number; readonly bytes: number },
  void,
  void
> {
  for await (const { number, text, bytes, complete } of jsonlLines(chunks)) {
    if (!complete && !isJson(text)) {
      onTorn?.({ line: number, text: text.slice(0, 200) });
      return;
    }
    yield { event: parseJsonlEvent(text, number), line: number, bytes };
  }
}

/** What {@link importJsonl} did. */
export interface ImportReport extends JsonlReport {
  /** Events restored by this call. */
  readonly events: number;
  /** Events that an earlier, interrupted import had restored already. */
  readonly alreadyThere: number;
}

/** How {@link importJsonl} runs. */
export interface ImportOptions {
  /** Called after each batch. */
  readonly onProgress?: ((progress: JsonlProgress) => void) | undefined;
}

const BATCH_EVENTS = 500;
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Restores a stream from JSONL with offsets, times, keys, sources and payload texts exactly as they were. Privileged: it
 * sets what otherwise only the journal decides. The stream must be empty, or hold the beginning of this same file from
 * an import that was interrupted, which then goes on. Batches are atomic, the whole is not. Throws `JsonlError` with the
 * line for anything that cannot be restored.
 */
export async function importJsonl(
  journal: Journal,
  stream: string,
  chunks: Chunks,
  { onProgress }: ImportOptions = {},
): Promise<ImportReport> {
  let torn: TornLine | undefined;
  const head = await journal.head(stream);
  const held = heldEvents(journal, stream);
  const batch = createBatch(journal, stream, head);
  let [events, alreadyThere, bytes, lastLine] = [0, 0, 0, 0];
  for await (const item of readJsonl(chunks, (line) => (torn = line))) {
    lastLine = item.line;
    bytes += item.bytes;
    if (item.event.offset <= head) {
      await checkHeld(held, stream, item.event, item.line);
      alreadyThere += 1;
      continue;
    }
    if (!(await held.next()).done) throw notEmpty(stream, item.line);
    events += 1;
    if (await batch.add(item)) onProgress?.({ events, bytes });
  }
  if (head > 0 && !(await held.next()).done) throw notEmpty(stream, lastLine);
  await batch.flush();
  onProgress?.({ events, bytes });
  return { events, alreadyThere, ...(torn === undefined ? {} : { torn }) };
}

function createBatch(
  journal: Journal,
  stream: string,
  head: number,
): {
  add(item: { event: RestoredEvent; line: number; bytes: number }): Promise<boolean>;
  flush(): Promise<void>;
} {
  let events: RestoredEvent[] = [];
  let lines: number[] = [];
  let size = 0;
  let after = head;
  const flush = async (): Promise<void> => {
    if (events.length === 0) return;
    try {
      await journal.restore(stream, events, { after });
    } catch (error) {
      if (!InvalidEventError.isInstance(error) && !EventTooLargeError.isInstance(error)) throw error;
      throw new JsonlError(lines[error.index ?? 0] ?? 0, error.message, { cause: error });
    }
    after = (events.at(-1) as RestoredEvent).offset;
    [events, lines, size] = [[], [], 0];
  };
  return {
    async add({ event, line, bytes }) {
      events.push(event);
      lines.push(line);
      size += bytes;
      if (events.length < BATCH_EVENTS && size < BATCH_BYTES) return false;
      await flush();
      return true;
    },
    flush,
  };
}

async function* heldEvents(journal: Journal, stream: string): AsyncGenerator<CommittedEvent, void, void> {
  for await (const page of journal.read(stream)) yield* page;
}

async function checkHeld(
  held: AsyncGenerator<CommittedEvent, void, void>,
  stream: string,
  event: RestoredEvent,
  line: number,
): Promise<void> {
  const { value } = await held.next();
  const same =
    value !== undefined &&
    value.offset === event.offset &&
    value.type === event.type &&
    value.createdAt === event.createdAt &&
    value.payloadText === event.payloadText &&
    value.idempotencyKey === event.idempotencyKey &&
    isDeepStrictEqual(value.source, event.source);
  if (!same) throw notEmpty(stream, line);
}

function notEmpty(stream: string, line: number): JsonlError {
  return new JsonlError(
    line,
    `${stream} holds events that this file does not begin with; import into an empty stream`,
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
