import { InvalidJournalUrlError } from "./errors.ts";

/** What a journal's URL names. */
export type JournalPlace =
  | { readonly store: "memory" }
  | { readonly store: "sqlite"; readonly path: string }
  | { readonly store: "postgres"; readonly url: string };

/** Reads the URL of a journal. Throws `InvalidJournalUrlError` for any other text. */
export function readJournalUrl(url: string): JournalPlace {
  if (url === "memory:") return { store: "memory" };
  if (url.startsWith("sqlite:")) {
    const path = url.slice("sqlite:".length);
    if (path === "") throw new InvalidJournalUrlError('"sqlite:" names no file; write sqlite:<path>');
    if (path === ":memory:")
      throw new InvalidJournalUrlError(
        '"sqlite::memory:" names no file; write memory: for a journal without one',
      );
    return { store: "sqlite", path };
  }
  if (/^postgres(ql)?:\/\//.test(url)) return { store: "postgres", url };
  // Only the scheme: a mistyped URL may hold a password.
  const shown = JSON.stringify(url.replace(/:\/\/.*/s, "://…").slice(0, 80));
  throw new InvalidJournalUrlError(
    `${shown} is not a journal URL; use sqlite:<path>, postgres://… or memory:`,
  );
}
