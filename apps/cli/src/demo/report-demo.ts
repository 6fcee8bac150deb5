import { loadTokenCounter, type TokenCounter } from "@promptfold/check";
import { CONTEXT_ADDED, type ContextAddedPayload, printable } from "@promptfold/contract";
import type { CommittedEvent, JournalReader } from "@promptfold/journal";
import {
  compareRequests,
  replayRequest,
  type ReplayedRequest,
  type RequestComparison,
} from "@promptfold/replay";
import { findRequests } from "../input/find-requests.ts";
import { type Colors, colorsFor } from "../terminal/colors.ts";
import { formatCount } from "../text/format-count.ts";
import { formatEvents } from "../text/format-events.ts";
import { formatMessages } from "../text/format-messages.ts";
import { heading, rule, terminalWidth } from "../text/layout.ts";
import { isBytePrefix, messagesBytes } from "./is-byte-prefix.ts";
import { whatNext } from "./what-next.ts";

/** What there is to report on. */
export interface DemoRun {
  readonly journal: JournalReader;
  readonly stream: string;
  /** The journal's URL, for the commands to try next. */
  readonly url: string;
  /** What the model was really sent, where it was called in this process. */
  readonly sentBodies: readonly string[] | undefined;
  /** Whether it was a scripted model. To a real one, `stream` and `stream_options` follow after each body. */
  readonly isScripted: boolean;
}

/** The report on a demonstration; `problems` is empty when every law held. */
export interface DemoReport {
  readonly text: string;
  readonly problems: readonly string[];
}

/** Most lines of a message that the report shows. */
const SHOWN_LINES = 8;

/** Writes the report: the stream, the requests, how much they share, and what to try next. */
export async function reportDemo({
  journal,
  stream,
  url,
  sentBodies,
  isScripted,
}: DemoRun): Promise<DemoReport> {
  const colors = colorsFor(process.stdout);
  const width = terminalWidth(process.stdout);
  const countTokens = await loadTokenCounter();
  const layout: Page = { colors, width, countTokens };
  const events: CommittedEvent[] = [];
  for await (const page of journal.read(stream)) events.push(...page);
  const { requests: offsets } = await findRequests(journal.read(stream));
  const requests = await Promise.all(
    offsets.map((offset) => replayRequest(journal.read(stream), offset, { stream })),
  );
  const [first, second] = requests;
  const parts = [heading(`The stream ${stream}`, colors), formatEvents(events, colors, width)];
  if (first !== undefined) parts.push(...describeFirst(first, layout));
  const problems: string[] = [];
  if (first !== undefined && second !== undefined) {
    const comparison = compareRequests(first, second, { countTokens });
    parts.push(...describeSecond(second, comparison, layout));
  }
  parts.push(...describeAnswer(events, colors), heading("What was checked", colors));
  const checks = [...checkPrefixes(requests), ...checkReplay(requests, sentBodies, isScripted)];
  for (const { holds, text } of checks) {
    parts.push(`${holds ? colors.green("✓") : colors.red("✗")} ${text}`);
    if (!holds) problems.push(text);
  }
  parts.push(...whatNext({ url, stream, requests: offsets }, colors));
  return { text: `${parts.join("\n")}\n`, problems };
}

interface Page {
  readonly colors: Colors;
  readonly width: number;
  readonly countTokens: TokenCounter;
}

function describeFirst(request: ReplayedRequest, { colors, width, countTokens }: Page): string[] {
  return [
    heading(`Request 1, opened at @${request.offset}: ${describeSize(request, countTokens)}`, colors),
    formatMessages(request.messages, { colors, width, lines: SHOWN_LINES }),
  ];
}

function describeSecond(
  request: ReplayedRequest,
  { sharedMessages, sharedCharacters, sharedTokens = 0, totalTokens = 0 }: RequestComparison,
  { colors, width, countTokens }: Page,
): string[] {
  const shared = request.messages.slice(0, sharedMessages);
  const added = request.messages.slice(sharedMessages);
  const share = totalTokens === 0 ? 0 : Math.floor((100 * sharedTokens) / totalTokens);
  const border =
    `the shared prefix ends here: ${formatCount(sharedMessages, "message")}, ` +
    `${formatCount(sharedCharacters, "character")}, ${formatCount(sharedTokens, "token")} (${share} % of the request)`;
  return [
    heading(`Request 2, opened at @${request.offset}: ${describeSize(request, countTokens)}`, colors),
    formatMessages(shared, { colors, width, lines: 1 }),
    "",
    colors.bold(colors.green(rule(border, width))),
    "",
    formatMessages(added, { colors, width, lines: 30, first: sharedMessages }),
  ];
}

function describeAnswer(events: readonly CommittedEvent[], colors: Colors): string[] {
  const latest = events.findLast(({ type, payload }) => {
    return type === CONTEXT_ADDED && (payload as ContextAddedPayload).role === "assistant";
  });
  if (latest === undefined) return [];
  const { content } = latest.payload as ContextAddedPayload;
  return [heading(`The answer, @${latest.offset}`, colors), printable(content)];
}

function describeSize({ messages, blocks, mapping }: ReplayedRequest, countTokens: TokenCounter): string {
  const tokens = blocks.reduce((sum, { text }) => sum + countTokens(text), 0);
  return `${formatCount(messages.length, "message")}, ${formatCount(tokens, "token")}, mapping ${mapping}`;
}

interface Check {
  readonly holds: boolean;
  readonly text: string;
}

function checkPrefixes(requests: readonly ReplayedRequest[]): Check[] {
  return requests.slice(1).map((later, index) => {
    const earlier = requests[index] as ReplayedRequest;
    const [before, after] = [messagesBytes(earlier.body), messagesBytes(later.body)];
    const holds = isBytePrefix(before, after);
    const size = `${formatCount(before.length - 1)} of ${formatCount(after.length)} bytes of messages`;
    return {
      holds,
      text: `request ${index + 1} is ${holds ? "" : "not "}a byte prefix of request ${index + 2} (${size})`,
    };
  });
}

function checkReplay(
  requests: readonly ReplayedRequest[],
  sent: readonly string[] | undefined,
  isScripted: boolean,
): Check[] {
  if (sent === undefined) return [];
  const rebuilt = requests.map(({ body }) => JSON.stringify(body));
  // A call that failed was made again: what counts is that every body that was sent can be rebuilt.
  const holds = sent.every((body) => rebuilt.includes(body));
  const aside = isScripted ? "" : ", stream and stream_options aside";
  return [
    {
      holds,
      text: holds
        ? `replay rebuilds from the stream the very bytes that the model was sent${aside}`
        : "replay rebuilds other bytes than the model was sent",
    },
  ];
}
