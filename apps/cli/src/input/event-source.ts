import { createReadStream } from "node:fs";
import { StoredEvent } from "@promptfold/contract";
import { type Journal, JsonlError, limits, readJsonl, type TornLine } from "@promptfold/journal";
import type { ReadSnapshot } from "@promptfold/replay";
import { STDIN_NAME } from "@promptfold/templating/node";
import { InputError, UsageError } from "../errors.ts";
import { sayNote } from "../terminal/say-note.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { openExistingJournal, requireStream } from "./journal-input.ts";
import { resolveTimes } from "./point-in-time.ts";
import { describeReadError } from "./read-text-input.ts";
import { loadSnapshot } from "./load-snapshot.ts";

/** Where a command's events come from, as its options say. */
export interface EventSourceOptions {
  readonly events?: string | undefined;
  readonly journal?: string | undefined;
  readonly stream?: string | undefined;
}

/** A stream of events that can be read several times, page by page. */
export interface EventSource {
  /** For messages: `/agents/web/demo` or the file's name. */
  readonly name: string;
  /** The stream's name, where it is known. */
  readonly stream: string | undefined;
  /** The events above an offset, 0 unless given; a file gives all of them. */
  pages(after?: number): AsyncIterable<readonly StoredEvent[]>;
  /** The newest kept state at or below an offset, if one can be read: the events through it need not be read. */
  snapshot(through?: number): Promise<ReadSnapshot | undefined>;
}

/**
 * Opens the events that the options name, works with them and closes them: a stream of a journal, or a JSONL file, `-`
 * being standard input. A time among the options is replaced by the offset that it stands for before `work` begins, in the
 * options themselves, as the events alone tell it.
 *
 * @throws UsageError when the options name neither, or both; InputError when nothing stands at or before a time
 */
export async function withEvents<Result>(
  options: EventSourceOptions,
  work: (source: EventSource) => Promise<Result>,
): Promise<Result> {
  const { events, journal: url, stream } = options;
  if (events !== undefined && url !== undefined) {
    throw new UsageError("--events and --journal name two sources; give one of them");
  }
  const begin = async (source: EventSource): Promise<Result> => {
    await resolveTimes(options, source);
    return work(source);
  };
  if (events !== undefined) return begin(fileSource(events, stream));
  if (url === undefined) {
    throw new UsageError(
      "where are the events? Give --journal <url> with --stream <path>, or --events <file.jsonl>",
    );
  }
  const journal = await openExistingJournal(url);
  try {
    const name = await requireStream(journal, stream);
    return await begin(journalSource(journal, name));
  } finally {
    await journal.close();
  }
}

/** A stream of an open journal. */
export function journalSource(journal: Journal, stream: string): EventSource {
  const told = new Set<number>();
  const tellDamaged = (offset: number): void => {
    if (told.has(offset)) return;
    told.add(offset);
    sayNote(
      stream,
      `the state kept at @${offset} is damaged and not used; ` +
        `promptfold journal snapshot --at ${offset} keeps it anew`,
    );
  };
  return {
    name: stream,
    stream,
    pages: (after = 0) => journal.read(stream, { after }),
    snapshot: (through) => loadSnapshot(journal, stream, through, tellDamaged),
  };
}

function fileSource(path: string, stream: string | undefined): EventSource {
  const isStdin = path === "-";
  const name = isStdin ? STDIN_NAME : path;
  let kept: Promise<StoredEvent[][]> | undefined;
  let isTornTold = false;
  const tellTorn = ({ line }: TornLine): void => {
    // A file may be read twice.
    if (!isTornTold) sayNote(`${name}:${line}`, `the last line was never written to its end; it is skipped`);
    isTornTold = true;
  };
  const read = (): AsyncGenerator<StoredEvent[]> =>
    readPages(name, isStdin ? process.stdin : createReadStream(path), tellTorn);
  return {
    name,
    stream,
    // Standard input can be read only once.
    pages: async function* () {
      if (!isStdin) yield* read();
      else yield* await (kept ??= collect(read()));
    },
    snapshot: () => Promise.resolve(undefined),
  };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** A page is as many events as a journal's, and ends early where their payloads are large. */
const PAGE_EVENTS = 256;
const PAGE_CHARACTERS = 4 * 1024 * 1024;

async function* readPages(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  onTorn: (torn: TornLine) => void,
): AsyncGenerator<StoredEvent[]> {
  let page: StoredEvent[] = [];
  let size = 0;
  let newest = 0;
  try {
    for await (const { event, line } of readJsonl(chunks, onTorn)) {
      const { payloadText, ...fields } = event;
      const payload: unknown = JSON.parse(payloadText);
      if (nestsDeeper(payload, limits.payloadDepth)) {
        throw new InputError(
          `${name}:${line}: the payload nests deeper than ${limits.payloadDepth} levels, which no journal holds`,
        );
      }
      const parsed = StoredEvent.safeParse({ ...fields, payload });
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const field = issue?.path.join(".") ?? "";
        throw new InputError(`${name}:${line}: not an event: ${field}: ${issue?.message ?? "wrong shape"}`);
      }
      if (parsed.data.offset <= newest) {
        throw new InputError(
          `${name}:${line}: offset ${parsed.data.offset} does not stand above the one before, ${newest}; ` +
            "a stream's events stand in order",
        );
      }
      newest = parsed.data.offset;
      page.push(parsed.data as StoredEvent);
      size += payloadText.length;
      if (page.length < PAGE_EVENTS && size < PAGE_CHARACTERS) continue;
      yield page;
      [page, size] = [[], 0];
    }
  } catch (error) {
    throw describeEventsError(name, error);
  }
  if (page.length > 0) yield page;
}

/** Whether a JSON value has more than so many levels of arrays and objects; looked at level by level, not by recursion. */
function nestsDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((each): unknown[] =>
      typeof each === "object" && each !== null ? Object.values(each) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}

/** The same error with its place as `file:line`, and with what was expected there, and what reads what is there instead. */
export function describeEventsError(name: string, error: unknown): unknown {
  if (!JsonlError.isInstance(error)) return describeReadError(name, error);
  const reason = error.message.replace(/^line \d+: /, "");
  return new InputError(`${name}:${error.line}: ${reason}${remedyOf(reason, name)}`, { cause: error });
}

/** What a line of events looks like. */
const EXPECTED =
  "each line is an event as promptfold export writes it, " +
  '{"offset": 1, "type": "…", "createdAt": "…", "payload": {…}}';

function remedyOf(reason: string, name: string): string {
  if (reason.startsWith("not JSON")) return `; ${EXPECTED}`;
  if (!reason.includes("no payload")) return "";
  const file = name === STDIN_NAME ? "-" : shellWord(name);
  return `; ${EXPECTED}; for raw request bodies of an agent there is promptfold doctor ${file}`;
}
