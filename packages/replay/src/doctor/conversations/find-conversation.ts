import { compareBodies, sharedLength } from "@promptfold/renderer";
import { type BodyContent, sharedBlocks } from "../bodies/body-content.ts";
import { settingsCause } from "../causes/break-cause.ts";
import { findRepeated, type Repeated } from "./find-repeated.ts";

/** The newest body of one conversation, as far as finding its continuation needs it. */
export interface Remembered {
  readonly content: BodyContent;
  /** Whether it began, byte for byte, with a body before it: its tools and system text stay the same. */
  readonly isSteady: boolean;
  /** Whether this is no newest body, and kept since another conversation may go on from it: a side question, or one that began alike. */
  readonly isSpare: boolean;
}

/**
 * What a body is to a remembered one. `extends`: it begins with all of it. `continues`: it repeats most of it, and goes
 * on. `takes-over`: the same, but it may stand beside the other one instead, as it goes no further or has a system text
 * of another kind. `varies`: a conversation of its own, whose tools and
 * system text would be the same but for a time, an identifier or the order of the tools.
 */
export interface Found<Each extends Remembered> {
  readonly kind: "extends" | "continues" | "takes-over" | "varies";
  readonly conversation: Each;
}

/**
 * Which of the remembered conversations a body belongs to; undefined when it opens one of its own. A body that one
 * begins with, exactly, wins. Otherwise there has to be evidence: see `weigh`.
 */
export function findConversation<Each extends Remembered>(
  conversations: readonly Each[],
  body: BodyContent,
): Found<Each> | undefined {
  const longest = best(conversations, ({ content, isSpare }) => weighExtension(content, body, isSpare));
  const extended = longest !== undefined && isLeftBehind(longest, conversations, body) ? undefined : longest;
  if (extended?.isSpare === false) return { kind: "extends", conversation: extended };
  const overlaps = new Map(conversations.map((each) => [each, measureOverlap(each, body)]));
  const weighed = best(conversations, (each) => overlaps.get(each)?.evidence?.weight);
  const continued = weighed !== undefined && isBranch(weighed, overlaps) ? undefined : weighed;
  const kind = continued && overlaps.get(continued)?.evidence?.kind;
  if (extended !== undefined) {
    // What went on from a body may be rewritten here: its spare must not hide that.
    const isRewritten =
      kind === "continues" &&
      continued?.isSpare === false &&
      beginsWith(continued.content, extended.content) &&
      hasMoreThan(extended.content, overlaps.get(continued)?.repeated);
    return isRewritten ? { kind, conversation: continued } : { kind: "extends", conversation: extended };
  }
  if (continued !== undefined && kind !== undefined) return { kind, conversation: continued };
  const varied = findVaried(conversations, body);
  return varied === undefined ? undefined : { kind: "varies", conversation: varied };
}

/**
 * Whether a conversation that a body begins with, under another model or other settings, went on without these since: the
 * body forks what it became, and has nothing to do with the change.
 */
function isLeftBehind<Each extends Remembered>(
  found: Each,
  conversations: readonly Each[],
  { body }: BodyContent,
): boolean {
  if (settingsCause(found.content.body, body) === undefined) return false;
  const { length } = found.content.body.blocks;
  return conversations.some(
    ({ content }) =>
      sharedBlocks(content.body, body) > length && settingsCause(content.body, body) === undefined,
  );
}

/**
 * Whether a body and a conversation had parted before this body came: another one, which the body goes on beside, begins
 * with more of its messages and repeats no fewer. So it is with side questions, each asked at another place of one history.
 */
function isBranch<Each extends Remembered>(found: Each, overlaps: ReadonlyMap<Each, Overlap>): boolean {
  const own = overlaps.get(found)?.repeated;
  if (own === undefined) return false;
  const isBeside = ({ start, count, goesBeyond }: Repeated): boolean =>
    goesBeyond && start > own.start && count >= own.count;
  return [...overlaps.values()].some(
    ({ evidence, repeated }) => evidence === undefined && isBeside(repeated),
  );
}

/** Whether a body repeats more of what went on from a spare than the spare, and than results that may be alike by chance. */
function hasMoreThan(spare: BodyContent, repeated: Repeated | undefined): boolean {
  if (repeated === undefined) return false;
  return repeated.isTelling || repeated.start > spare.blocks(false).list.length;
}

function beginsWith({ body }: BodyContent, { body: start }: BodyContent): boolean {
  return sharedBlocks(body, start) === start.blocks.length;
}

type Weight = readonly number[];

/** The heaviest, compared number by number; the first of equal ones. */
function best<Each>(list: readonly Each[], weighOne: (each: Each) => Weight | undefined): Each | undefined {
  let found: { each: Each; weight: Weight } | undefined;
  for (const each of list) {
    const weight = weighOne(each);
    if (weight !== undefined && (found === undefined || isHeavier(weight, found.weight)))
      found = { each, weight };
  }
  return found?.each;
}

function isHeavier(a: Weight, b: Weight): boolean {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at !== -1 && (a[at] ?? 0) > (b[at] ?? 0);
}

/** Undefined unless a body begins with all of an earlier one: then the longer, the heavier. */
function weighExtension(earlier: BodyContent, body: BodyContent, isSpare: boolean): Weight | undefined {
  const { length } = earlier.body.blocks;
  if (length > body.body.blocks.length || earlier.body.format !== body.body.format) return undefined;
  const isSameModel = earlier.model === body.model;
  // Equal bodies for two models are two conversations that begin alike, as in an evaluation.
  if (length === body.body.blocks.length && !isSameModel) return undefined;
  if (sharedBlocks(earlier.body, body.body) < length) return undefined;
  if (!compareBodies(earlier.body, body.body).held) return undefined;
  return [length, isSameModel ? 1 : 0, isSpare ? 0 : 1];
}

/** What a body has in common with an earlier one, and the evidence that it continues it. */
interface Overlap {
  readonly repeated: Repeated;
  readonly evidence: Evidence | undefined;
}

interface Evidence {
  readonly kind: "continues" | "takes-over";
  readonly weight: Weight;
}

function measureOverlap({ content: earlier, isSpare }: Remembered, body: BodyContent): Overlap {
  const isSameApi = earlier.body.format === body.body.format;
  const repeated = findRepeated(earlier.blocks(!isSameApi), body.blocks(!isSameApi));
  return { repeated, evidence: weigh(earlier, body, repeated, isSpare) };
}

/**
 * The evidence that a body continues an earlier one with which it does not begin: it repeats at least half of the
 * messages in their order, or the end of them, and the model has spoken since the two part. Where the tools and system
 * text part, the system text has to be the same for the most part, and the body has to go beyond what it repeats or to
 * repeat an answer; or else both, for the same model.
 */
function weigh(
  earlier: BodyContent,
  body: BodyContent,
  repeated: Repeated,
  isSpare: boolean,
): Evidence | undefined {
  const isSameApi = earlier.body.format === body.body.format;
  const hasSameLead = isSameApi && body.hasLeadOf(earlier);
  if (!repeats(repeated, hasSameLead) || repeated.isFork) return undefined;
  const isSameModel = earlier.model === body.model;
  const weight = [
    repeated.count,
    isSameModel ? 1 : 0,
    sharedBlocks(earlier.body, body.body),
    isSpare ? 0 : 1,
  ];
  if (hasSameLead) {
    if (goesOnAfterPart(earlier, body)) return { kind: "continues", weight: [1, ...weight] };
    return isCutEnd(earlier, body, repeated) ? { kind: "takes-over", weight: [1, ...weight] } : undefined;
  }
  if (isAlike(earlier, body)) {
    if (repeated.goesOn) return { kind: "continues", weight: [1, ...weight] };
    const isRetry = repeated.hasModel && isSameApi && isSameModel;
    return isRetry ? { kind: "takes-over", weight: [1, ...weight] } : undefined;
  }
  const isTakenOver = isSameApi && isSameModel && repeated.goesOn && repeated.hasModel && repeated.isHalf;
  return isTakenOver ? { kind: "takes-over", weight: [0, ...weight] } : undefined;
}

function repeats({ isHalf, endLength, endHasModel, endsAt }: Repeated, hasSameLead: boolean): boolean {
  // One message alone may be chance ("yes"), unless a body with the same tools and system text begins with it.
  const isEnd =
    (endLength >= 2 && endHasModel) || (endLength >= 1 && hasSameLead && endsAt === endLength - 1);
  return isHalf || isEnd;
}

/** Whether the model's words stand where two bodies with the same system text part, or after it. */
function goesOnAfterPart(earlier: BodyContent, body: BodyContent): boolean {
  const part = sharedBlocks(earlier.body, body.body) - body.lead;
  // All is there in another form, unless it is the same request to another model.
  if (part === earlier.messages.length) return !compareBodies(earlier.body, body.body).held;
  return body.blocks(false).list.some(({ byModel, index }) => byModel && index >= part);
}

/** Whether a body is more than half of an earlier one, from its beginning on: history was cut at its end. */
function isCutEnd(earlier: BodyContent, body: BodyContent, { hasModel }: Repeated): boolean {
  const { length } = body.messages;
  const isPrefix = sharedBlocks(earlier.body, body.body) === body.body.blocks.length;
  return isPrefix && hasModel && length * 2 > earlier.messages.length;
}

/** Whether the system text of an earlier body is there for the most part. */
function isAlike(earlier: BodyContent, body: BodyContent): boolean {
  const [before, after] = [earlier.system, body.system];
  if (before === "" || before === after) return before === after;
  if (framedLength(before, after) * 2 >= before.length) return true;
  let total = 0;
  let kept = 0;
  for (const [sentence, length] of earlier.sentences) {
    total += length;
    if (body.sentences.has(sentence)) kept += length;
  }
  return kept * 2 >= total && total > 0;
}

/** How much of two texts is the same at their beginning and at their end. */
function framedLength(a: string, b: string): number {
  const start = sharedLength(a, b);
  const limit = Math.min(a.length, b.length) - start;
  let end = 0;
  while (end < limit && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++;
  return start + end;
}

/** The newest single request whose tools and system text differ by what varies alone, unless one has the very same. */
function findVaried<Each extends Remembered>(
  conversations: readonly Each[],
  body: BodyContent,
): Each | undefined {
  if (body.lead === 0) return undefined;
  const comparable = conversations.filter(
    ({ content }) =>
      content.body.format === body.body.format &&
      content.model === body.model &&
      content.leadKey === body.leadKey,
  );
  if (comparable.some(({ content }) => body.hasLeadOf(content))) return undefined;
  return comparable.find(({ isSteady }) => !isSteady);
}
