import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type Journal, type JournalReader, openJournal } from "@promptfold/journal";
import { nearestName } from "@promptfold/templating";
import { InputError, UsageError } from "../errors.ts";
import { describeWriteError } from "./describe-write-error.ts";

/** Where the demonstration keeps its journal unless told otherwise. */
export const DEFAULT_JOURNAL = "sqlite:.promptfold/demo.db";

/** A journal that is gone when its process ends, and that no other process can open. */
export const MEMORY_JOURNAL = "memory:";

/** A journal's URL for a person to read: without the password that may be in it, before the host or as a parameter. */
export function shownUrl(url: string): string {
  if (!url.includes("://")) return url;
  return url
    .replace(/^(\w+:\/\/[^:/?#]*):[^/?#]*@/, "$1:***@")
    .replaceAll(/([?&]password=)[^&#]*/gi, "$1***");
}

/** Opens a journal that must exist already: reading creates nothing. */
export async function openExistingJournal(url: string): Promise<Journal> {
  if (url === MEMORY_JOURNAL) {
    throw new UsageError(
      "memory: is always empty when a command starts; name a journal, as in sqlite:<path>",
    );
  }
  const path = sqlitePath(url);
  if (path !== undefined && path !== "" && !existsSync(path)) {
    throw new InputError(
      `${path}: there is no journal here; check the path, or start one with promptfold demo`,
    );
  }
  return openJournal(url, { create: false });
}

/**
 * Opens a journal, and creates it when it is missing. Its folder must be there, `.promptfold` alone excepted: a folder that
 * nobody made is more likely a slip than a wish.
 */
export async function openOrCreateJournal(url: string): Promise<Journal> {
  const path = sqlitePath(url);
  if (path !== undefined && path !== "") await requireFolder(dirname(path));
  return openJournal(url);
}

async function requireFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const isOwn = basename(folder) === dirname(DEFAULT_JOURNAL.slice("sqlite:".length));
  if (!isOwn || !existsSync(dirname(folder)))
    throw new InputError(
      `${folder}: there is no such folder for the journal; make it, or name one that exists`,
    );
  try {
    await mkdir(folder);
  } catch (cause) {
    // Another process made it meanwhile.
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw describeWriteError(folder, cause);
  }
}

/** The files that a journal is kept in; none when a server or the memory keeps it. */
export function journalFiles(url: string): string[] {
  const path = sqlitePath(url);
  return path === undefined || path === "" ? [] : [path, `${path}-wal`, `${path}-shm`];
}

function sqlitePath(url: string): string | undefined {
  return url.startsWith("sqlite:") ? url.slice("sqlite:".length) : undefined;
}

/** A stream that the journal holds: the one named, or the only one. */
export async function requireStream(journal: JournalReader, name: string | undefined): Promise<string> {
  if (name !== undefined && (await journal.head(name)) > 0) return name;
  const streams: string[] = [];
  for await (const stream of journal.streams()) streams.push(stream);
  if (streams.length === 0)
    throw new InputError("the journal holds no stream; put one in with promptfold append");
  if (name === undefined) {
    if (streams.length === 1) return streams[0] as string;
    throw new UsageError(
      `the journal holds ${streams.length} streams; name one with --stream, as in ${newest(streams)}`,
    );
  }
  const near = nearestName(name, streams);
  const hint = near === undefined ? `it holds ${newest(streams)}` : `did you mean ${near}?`;
  throw new InputError(`${name}: the journal holds no such stream; ${hint}`);
}

/** Some streams, those last that sort last: names usually end in a time. */
function newest(streams: readonly string[]): string {
  const shown = streams.slice(-3);
  return shown.length < streams.length ? `${shown.join(", ")} and others` : shown.join(", ");
}
