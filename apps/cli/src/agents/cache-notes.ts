import type { CacheReport } from "@promptfold/agent-llm-request";
import { formatDuration } from "@promptfold/codemode";
import { MEMORY_JOURNAL, shownUrl } from "../input/journal-input.ts";
import { formatNote } from "../terminal/say-note.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { formatCount } from "../text/format-count.ts";

/** What is missing has to be so many tokens, the fewest that most models cache, and this part of what was predicted. */
const LEAST_MISSING_TOKENS = 1_024;
const LEAST_MISSING_PART = 0.25;
/** After so long without a request a cache may have expired, as it should. */
const CACHE_LIFETIME_MS = 5 * 60_000;

/**
 * Notes on requests of which the provider's cache gave markedly less than predicted. Predictions are estimates where a
 * request was shared in part, so a little less is no news; nor is the next request of an agent whose cache gives nothing.
 */
export class CacheNotes {
  readonly #journalUrl: string;
  /** Agents that were told of, and whose caches have not given what was predicted since. */
  readonly #told = new Set<string>();

  constructor(journalUrl: string) {
    this.#journalUrl = journalUrl;
  }

  /** The note on a request, in one line, with the command to look at next; undefined where there is nothing to say. */
  on(report: CacheReport): string | undefined {
    const { stream, elapsedMs, predictedTokens, reportedTokens } = report;
    if (!(elapsedMs <= CACHE_LIFETIME_MS)) return undefined;
    const least = Math.max(LEAST_MISSING_TOKENS, predictedTokens * LEAST_MISSING_PART);
    if (predictedTokens - reportedTokens < least) {
      this.#told.delete(stream);
      return undefined;
    }
    if (this.#told.has(stream)) return undefined;
    this.#told.add(stream);
    return formatNote(
      `${stream}@${report.requestOffset}`,
      describe(report) + whatNext(report, this.#journalUrl),
    );
  }
}

function describe({ comparedWith, elapsedMs, predictedTokens, reportedTokens }: CacheReport): string {
  const expected = `${formatCount(predictedTokens)} were to be expected ${formatDuration(elapsedMs)} after @${comparedWith}`;
  return `the provider's cache gave ${formatCount(reportedTokens, "input token")}, ${expected}`;
}

function whatNext({ stream, comparedWith, requestOffset }: CacheReport, journalUrl: string): string {
  // What is in memory, no other command can read.
  if (journalUrl === MEMORY_JOURNAL) return "";
  const source = `--journal ${shellWord(shownUrl(journalUrl))} --stream ${shellWord(stream)}`;
  return `; promptfold diff ${source} --from ${comparedWith} --to ${requestOffset} shows what both begin with`;
}
