import { printable } from "@promptfold/contract";
import type { TextOrigin } from "@promptfold/renderer";
import type { BreakingEvent, FirstDifference, ReplayedRequest, RequestComparison } from "@promptfold/replay";
import type { Colors } from "../terminal/colors.ts";
import { oneLine } from "../terminal/one-line.ts";
import type { ChangedSection } from "./changed-sections.ts";
import type { ChangedSetting } from "./changed-settings.ts";
import { formatCount } from "./format-count.ts";
import { describeOrigin, formatMessages } from "./format-messages.ts";
import { rule } from "./layout.ts";

/** A comparison and how to lay it out. */
export interface FormatComparisonOptions {
  readonly comparison: RequestComparison;
  readonly sections: readonly ChangedSection[];
  readonly settings: readonly ChangedSetting[];
  readonly colors: Colors;
  readonly width: number;
  /** The most lines of a message that are shown. */
  readonly lines: number;
}

/** What two requests have in common and what not, for a person. */
export function formatComparison(
  earlier: ReplayedRequest,
  later: ReplayedRequest,
  options: FormatComparisonOptions,
): string {
  const { comparison, sections, settings, colors, width, lines } = options;
  const { held, sharedMessages, cachedMessages } = comparison;
  const color = held ? colors.green : colors.red;
  const first = nameOf(earlier);
  // The comma that ends an insertion gives way to the full stop.
  const second = nameOf(later).replace(/,$/, "");
  const lost = describeLoss(earlier, comparison);
  const parts = [
    ...(lost === undefined ? [] : [colors.red(lost)]),
    color(
      capitalized(held ? `${first} is a prefix of ${second}.` : `${first} is not a prefix of ${second}.`),
    ),
    describeShared(comparison),
    describeShare(earlier, comparison),
  ];
  if (!held) parts.push("", ...describeBreak(earlier, later, options));
  const changed = sections.map(({ key, change, since }) => `${printable(key)} ${change} (@${since})`);
  parts.push("", `Sections: ${changed.length === 0 ? "none changed" : changed.join(", ")}.`);
  if (settings.length > 0) parts.push(`Settings: ${settings.map(describeSetting).join(", ")}.`);
  // Where there is no cache, the place where the texts part is all that is left to show.
  const isCached = earlier.opened && comparison.cacheLoss?.keeps !== "nothing";
  const border = isCached ? "the cache ends here" : held ? "what is new begins here" : "the texts part here";
  const start = isCached ? cachedMessages : sharedMessages;
  const rest = later.messages.slice(start);
  parts.push("", colors.bold((lost === undefined ? color : colors.red)(rule(border, width))), "");
  parts.push(formatMessages(rest, { colors, lines, width, first: start }));
  return parts.join("\n");
}

/** What stands at an offset: a request, or only a state that was never sent. */
function nameOf({ offset, opened, guarded }: ReplayedRequest): string {
  if (opened) return `request @${offset}`;
  return guarded ? `the state at @${offset}, whose request was not opened,` : `the state at @${offset}`;
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** Why a cache gives less than what both begin with; undefined when it gives all of that. */
function describeLoss(
  { offset, opened }: ReplayedRequest,
  { cacheLoss, cachedMessages }: RequestComparison,
): string | undefined {
  if (!opened) return `Nothing was sent at @${offset}, so what follows is about texts and not about a cache.`;
  if (cacheLoss === undefined) return undefined;
  const { cause, detail, keeps } = cacheLoss;
  const what = {
    nothing: cause.endsWith("-changed") ? "No cache is shared" : "Nothing can come from the cache",
    lead: "Only the protocol and the standing document can come from the cache",
    marked: `Only the first ${formatCount(cachedMessages, "message")} can come from the cache`,
  }[keeps];
  const why = cause === "model-changed" ? "; each model has a cache of its own" : "";
  return `${what}: ${printable(detail)}${why}.`;
}

function describeShare(
  { opened }: ReplayedRequest,
  { sharedTokens = 0, cachedTokens = 0, totalTokens = 0, cacheLoss }: RequestComparison,
): string {
  const share = totalTokens === 0 ? 0 : Math.floor((100 * sharedTokens) / totalTokens);
  const part = `That is ${share} % of the later request`;
  const added = `${formatCount(totalTokens - sharedTokens, "token")} of it are new.`;
  if (!opened || cacheLoss === undefined) return `${part}; ${added}`;
  return `${part} as a text; of its ${formatCount(totalTokens, "token")}, ${formatCount(cachedTokens)} can come from the cache.`;
}

/** How much of a setting is shown. */
const SETTING_CHARACTERS = 100;

function describeSetting({ name, previous, next }: ChangedSetting): string {
  const show = (value: unknown): string =>
    value === undefined ? "unset" : oneLine(JSON.stringify(value), SETTING_CHARACTERS);
  return `${printable(name)} ${show(previous)} → ${show(next)}`;
}

function describeShared({
  sharedMessages,
  sharedCharacters,
  sharedBytes,
  sharedTokens = 0,
}: RequestComparison): string {
  const messages = formatCount(sharedMessages, "message");
  const sizes = `${formatCount(sharedCharacters, "character")}, ${formatCount(sharedBytes, "byte")}`;
  return `Both begin with ${messages}: ${sizes}, ${formatCount(sharedTokens, "token")}.`;
}

/** How much text is shown on either side of a difference. */
const CONTEXT_CHARACTERS = 60;

function describeBreak(
  earlier: ReplayedRequest,
  later: ReplayedRequest,
  { comparison, colors }: FormatComparisonOptions,
): string[] {
  const { firstDifference } = comparison;
  if (firstDifference === undefined) return [];
  const { message, character, byte, previous, next } = firstDifference;
  const where = later.messages[message] ?? earlier.messages[message];
  const origin = where === undefined ? "" : ` (${where.role}, ${describeOrigin(where)})`;
  const isOtherRole = previous !== undefined && next !== undefined && previous.role !== next.role;
  const around = (text: string): string =>
    JSON.stringify(text.slice(Math.max(0, character - CONTEXT_CHARACTERS), character + CONTEXT_CHARACTERS));
  const show = (block: { readonly role: string; readonly text: string } | undefined): string =>
    block === undefined
      ? "nothing"
      : `${isOtherRole ? `${block.role}: ` : ""}${printable(around(block.text))}`;
  return [
    `They part in message [${message}]${origin}, at character ${character}, byte ${byte}${describeSection(firstDifference)}.`,
    describeCauses(comparison),
    colors.red(`- ${show(previous)}`),
    colors.green(`+ ${show(next)}`),
  ];
}

/** The sections that a difference lies in. */
function describeSection({ previousOrigin, nextOrigin }: FirstDifference): string {
  const name = ({ key = "", offset }: TextOrigin): string => `${printable(key)} (@${offset})`;
  const [before, after] = [previousOrigin, nextOrigin].map((origin) =>
    origin?.key === undefined ? undefined : name(origin),
  );
  if (before === undefined) return after === undefined ? "" : `, where section ${after} stands`;
  if (after === undefined) return `, where section ${before} stood`;
  if (before === after) return `, in section ${before}`;
  return previousOrigin?.key === nextOrigin?.key
    ? `, in section ${before}, which is @${nextOrigin?.offset ?? 0} now`
    : `, where section ${before} stood and ${after} stands`;
}

/** What broke the prefix: the likeliest event, and the others that may have. */
function describeCauses({ brokenBy, cacheLoss, firstDifference }: RequestComparison): string {
  const [cause, ...others] = brokenBy.map(describeEvent);
  if (cause !== undefined)
    return `Cause: ${cause}.${others.length === 0 ? "" : ` Also between the two: ${others.join(", ")}.`}`;
  if (cacheLoss?.cause === "mapping-changed")
    return "Cause: the other mapping, which writes this place differently.";
  return firstDifference?.nextOrigin?.kind === "protocol"
    ? "Cause: the protocol, which is another one."
    : "No event is known as the cause.";
}

function describeEvent({ kind, offset, key }: BreakingEvent): string {
  if (key === "*") return `the deletion of everything at @${offset}`;
  const what = `the ${kind.replace("-", " ")}`;
  if (key === undefined) return `${what} at @${offset}`;
  return `${what}${kind === "rewrite" ? " of" : ""} ${printable(key)} at @${offset}`;
}
