/** Counts the tokens of a text. */
export type TokenCounter = (text: string) => number;

/** Runs longer than this are counted in parts: merging one is quadratic in its length, and no prose has any. */
const LONGEST_RUN = 1000;

/** The counter of the o200k vocabulary. It is large, so it is loaded when a budget asks for it. */
export async function loadTokenCounter(): Promise<TokenCounter> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  // Text that looks like a special token is text.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => splitLongRuns(text).reduce((sum, part) => sum + countTokens(part, options), 0);
}

/** Cuts a text inside runs without, or of nothing but, white space that are too long to be counted in one go. */
function splitLongRuns(text: string): string[] {
  const parts: string[] = [];
  let partStart = 0;
  let runStart = 0;
  let inSpace = false;
  for (let at = 0; at < text.length; at += 1) {
    const isSpace = text.charCodeAt(at) <= 0x20;
    if (isSpace !== inSpace) {
      inSpace = isSpace;
      runStart = at;
    } else if (at - runStart >= LONGEST_RUN) {
      parts.push(text.slice(partStart, at));
      partStart = at;
      runStart = at;
    }
  }
  parts.push(text.slice(partStart));
  return parts;
}
