import { printable } from "@promptfold/contract";
import type { ReplayedRequest, RequestComparison } from "@promptfold/replay";
import type { Colors } from "../terminal/colors.ts";
import type { ChangedSection } from "./changed-sections.ts";
import { formatCount } from "./format-count.ts";
import { describeOrigin, formatMessages } from "./format-messages.ts";
import { rule } from "./layout.ts";

/** A comparison and how to lay it out. */
export interface FormatComparisonOptions {
  readonly comparison: RequestComparison;
  readonly sections: readonly ChangedSection[];
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
  const { comparison, sections, colors, width, lines } = options;
  const { held, sharedMessages, sharedTokens = 0, totalTokens = 0 } = comparison;
  const verdict = held
    ? colors.green(`Request @${earlier.offset} is a prefix of request @${later.offset}.`)
    : colors.red(`Request @${earlier.offset} is not a prefix of request @${later.offset}.`);
  const share = totalTokens === 0 ? 0 : Math.floor((100 * sharedTokens) / totalTokens);
  const parts = [
    verdict,
    describeShared(comparison),
    `That is ${share} % of the later request; ${formatCount(totalTokens - sharedTokens, "token")} of it are new.`,
  ];
  if (!held) parts.push("", ...describeBreak(earlier, later, options));
  const changed = sections.map(({ key, change, since }) => `${printable(key)} ${change} (@${since})`);
  parts.push("", `Sections: ${changed.length === 0 ? "none changed" : changed.join(", ")}.`);
  const settings = changedSettings(earlier, later);
  if (settings.length > 0) parts.push(`Settings: ${settings.join(", ")}.`);
  const border = colors.bold((held ? colors.green : colors.red)(rule("the cache ends here", width)));
  const rest = later.messages.slice(sharedMessages);
  parts.push("", border, "", formatMessages(rest, { colors, lines, width, first: sharedMessages }));
  return parts.join("\n");
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
  { comparison: { firstDifference, brokenBy }, colors }: FormatComparisonOptions,
): string[] {
  if (firstDifference === undefined) return [];
  const { message, character, byte, previous, next } = firstDifference;
  const where = later.messages[message] ?? earlier.messages[message];
  const origin = where === undefined ? "" : ` (${where.role}, ${describeOrigin(where)})`;
  const causes = brokenBy.map(({ kind, offset }) => `the ${kind.replace("-", " ")} at @${offset}`);
  const around = (text: string): string =>
    JSON.stringify(text.slice(Math.max(0, character - CONTEXT_CHARACTERS), character + CONTEXT_CHARACTERS));
  const show = (block: { readonly text: string } | undefined): string =>
    block === undefined ? "nothing" : printable(around(block.text));
  return [
    `They part in message [${message}]${origin}, at character ${character}, byte ${byte}.`,
    causes.length === 0 ? "No event is known as the cause." : `Cause: ${causes.join(", ")}.`,
    colors.red(`- ${show(previous)}`),
    colors.green(`+ ${show(next)}`),
  ];
}

/** What differs in the bodies beside their messages. */
function changedSettings(earlier: ReplayedRequest, later: ReplayedRequest): string[] {
  const before = { mapping: earlier.mapping, ...(earlier.body as Record<string, unknown>) };
  const after = { mapping: later.mapping, ...(later.body as Record<string, unknown>) };
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  names.delete("messages");
  const show = (value: unknown): string => (value === undefined ? "unset" : JSON.stringify(value));
  return [...names].flatMap((name) => {
    const [old, now] = [show(Reflect.get(before, name)), show(Reflect.get(after, name))];
    return old === now || typeof Reflect.get(after, name) === "object" ? [] : [`${name} ${old} → ${now}`];
  });
}
