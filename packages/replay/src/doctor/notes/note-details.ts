import { CLAUDE_LOOK_BACK_BLOCKS, CLAUDE_MAX_MARKS } from "@promptfold/renderer";

/** So many bodies have no mark; so many of these are too short to be cached, with fewer tokens than a minimum. */
export function unmarkedDetail(count: number, tooShort: number, minimum: number): string {
  return `${bodies(count)} to Claude ${has(count)} no \`cache_control\`: Anthropic caches nothing of ${it(count)}, unless something between adds marks${shortDetail(count, tooShort, minimum)}`;
}

function shortDetail(count: number, tooShort: number, minimum: number): string {
  if (tooShort === 0) return "";
  const which = tooShort < count ? `; ${tooShort} of them` : count === 1 ? "; it" : "; they";
  return `${which} ${tooShort === 1 ? "is" : "are"} too short to be cached with marks, too (fewer than ${minimum} tokens)`;
}

/** So many bodies repeat what was cached, and no mark of theirs finds it. */
export function outOfReachDetail(count: number): string {
  return `${bodies(count)} ${count === 1 ? "begins" : "begin"} with what was cached, and ${has(count)} no mark that finds it: Anthropic looks at ${CLAUDE_LOOK_BACK_BLOCKS} blocks, from each mark back`;
}

/** So many bodies have more marks than are allowed. */
export function tooManyMarksDetail(count: number): string {
  return `${bodies(count)} to Claude ${has(count)} more than ${CLAUDE_MAX_MARKS} cache marks: Anthropic refuses such a request, unless something between takes marks away`;
}

/** So many bodies go on from one that had another key. */
export function cacheKeyDetail(count: number): string {
  return `${bodies(count)} ${count === 1 ? "goes" : "go"} on from one with another \`prompt_cache_key\`: OpenAI chooses by it where a request is served, so what was cached may not be found`;
}

/** So many bodies go on from a history on the server; so many of them could be linked to it. */
export function onServerDetail(count: number, linked: number): string {
  const found = linked === 0 ? "" : `; ${linked} could be linked by the identifiers of responses`;
  return `${bodies(count)} ${count === 1 ? "goes" : "go"} on from a history that the server keeps (\`previous_response_id\` or \`conversation\`): it is not in the log, so it can be neither checked nor counted${found}`;
}

/** So many bodies have a beginning that Gemini keeps. */
export function cachedContentDetail(count: number): string {
  return `${bodies(count)} ${count === 1 ? "begins" : "begin"} with a \`cachedContent\` that the server keeps: it is not in the log, so it can be neither checked nor counted`;
}

/** So many bodies have a billing line, which is not always the same. */
export function billingLineDetail(count: number): string {
  return `Claude Code's \`x-anthropic-billing-header\` varies in ${bodies(count)}: Anthropic's own servers pass it over, and so does this diagnosis; with any other server behind, leave it out (CLAUDE_CODE_ATTRIBUTION_HEADER=0)`;
}

/** So many bodies ask how many tokens they have. */
export function tokenCountsDetail(count: number): string {
  return `${count === 1 ? "1 call" : `${count} calls`} that only ${count === 1 ? "counts" : "count"} tokens ${count === 1 ? "is" : "are"} left out: such a call is free, and nothing of it is cached`;
}

/** So many lines of the log are responses. */
export function responsesDetail(count: number): string {
  return `${count === 1 ? "1 response is" : `${count} responses are`} left out: requests alone have a prefix`;
}

/** So many bodies have so many images and the like. */
export function mediaDetail(count: number, media: number): string {
  const what = media === 1 ? "1 image, clip or file" : `${media} images, clips or files`;
  return `${what} in ${bodies(count)} ${media === 1 ? "is" : "are"} counted by an estimate, and compared as ${media === 1 ? "a whole" : "wholes"}`;
}

/** How many conversations' texts were let go, and whether prefixes were. */
export function memoryDetail(letGo: number, hasLetGoPrefixes: boolean): string {
  const parts: string[] = [];
  if (letGo > 0) {
    parts.push(
      `the texts of conversations were let go ${letGo} times: one that goes on exactly where it stood is still found, a break in one counts as a new conversation`,
    );
  }
  if (hasLetGoPrefixes) parts.push("prompts that were sent long ago may count as not cacheable");
  return `there was more than is held in memory at a time; ${parts.join("; ")}`;
}

function bodies(count: number): string {
  return count === 1 ? "1 body" : `${count} bodies`;
}

function has(count: number): string {
  return count === 1 ? "has" : "have";
}

function it(count: number): string {
  return count === 1 ? "it" : "them";
}
