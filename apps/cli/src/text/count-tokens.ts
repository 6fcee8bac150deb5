import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** The tokenizer's time grows with the square of a run without white space, so longer runs are counted in pieces. */
const LONGEST_RUN = 1_000;
const longRuns = new RegExp(`\\S{${LONGEST_RUN + 1},}|\\s{${LONGEST_RUN + 1},}`, "g");

/**
 * Counts the tokens of a text by o200k_base. Names of special tokens count as the text that they are. Exact but for
 * runs of more than 1,000 characters without (or of nothing but) white space, where it may be a token in 1,000
 * characters too many.
 */
export function countTextTokens(text: string): number {
  let tokens = 0;
  let from = 0;
  for (const { index, 0: run } of text.matchAll(longRuns)) {
    tokens += count(text.slice(from, index));
    for (let at = 0; at < run.length; at += LONGEST_RUN) tokens += count(run.slice(at, at + LONGEST_RUN));
    from = index + run.length;
  }
  return tokens + count(text.slice(from));
}

function count(text: string): number {
  return countTokens(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() });
}
