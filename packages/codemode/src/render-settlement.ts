import { DEFAULT_SCRIPT_RESULT_LIMIT, type ScriptSettlement } from "@promptfold/contract";
import { cutText } from "./cut-text.ts";
import { fenceText } from "./fence-text.ts";
import { formatDuration } from "./format-duration.ts";

/** What the message about a settlement needs besides the settlement. */
export interface RenderSettlementOptions {
  /** Milliseconds between the request event and the settlement event; not finite or absent: not mentioned. */
  durationMs?: number | undefined;
  /** How many characters (UTF-16 code units) of a result or error are shown. Default: {@link DEFAULT_SCRIPT_RESULT_LIMIT}. */
  limit?: number | undefined;
  /** Where the whole text can be read, in words for the model, such as ``stored at `/agents/web/demo@17` ``. */
  wholeAt?: string | undefined;
  /** What the script wrote to its console; shown up to 4,000 characters, and not when the turn ends. */
  console?: ConsoleOutput | undefined;
}

/** Lines that a script wrote to its console, and how many more were not kept. */
export interface ConsoleOutput {
  lines: readonly string[];
  omittedLines: number;
}

/** The developer message for a settlement; `cut` tells that it holds a preview only. `none`: the turn ends. */
export type RenderedSettlement = { kind: "message"; content: string; cut: boolean } | { kind: "none" };

/** The text of a script's result as a message shows it, before any cut: a string raw, everything else as JSON. */
export type ResultText = { kind: "string" | "json"; text: string } | { kind: "none" };

/** A returned value is the better way to see something, so the console gets less room. */
const CONSOLE_LIMIT = 4_000;

/**
 * Renders how a script ended as the developer message that the model reads next.
 *
 * The result stands in a `json` fence, a string raw in a bare fence, a failure with whether anything ran. No value
 * returned means no message; `null` is a value. What is longer than `limit` is cut at a character boundary and
 * followed by where to read the rest. The same input always gives the same text, and nothing throws.
 */
export function renderSettlement(
  settlement: ScriptSettlement,
  options: RenderSettlementOptions = {},
): RenderedSettlement {
  const duration = durationText(options.durationMs);
  switch (settlement.status) {
    case "succeeded": {
      const result = resultText(settlement.result, options.limit);
      if (result.kind === "none") return { kind: "none" };
      const heading = `Your script returned${duration && ` (in ${duration})`}:`;
      return message(heading, result.text, result.kind === "json" ? "json" : "", [], options);
    }
    case "failed": {
      if (settlement.started === false) {
        const advice = "Nothing of it ran. Correct it and send it again.";
        return message("Your script did not run:", settlement.error, "", [advice], options);
      }
      const advice =
        settlement.started === true
          ? "It had started: what it did before the error is done. Look before you repeat it."
          : "Part of it may have run. Look what it did before you repeat it.";
      const heading = `Your script failed${duration && ` (after ${duration})`}:`;
      return message(heading, settlement.error, "", [advice], options);
    }
    case "unknown": {
      const advice = "It may have run, wholly or in part. Look what it did before you run it again.";
      return message("It is not known how your script ended:", settlement.error, "", [advice], options);
    }
  }
}

/**
 * What a message shows of a returned value. Anything that JSON refuses still gives a text. What is longer than `limit`
 * characters even without indentation stays without: it is cut anyway, and indenting it could fill the memory.
 */
export function resultText(result: unknown, limit: number = DEFAULT_SCRIPT_RESULT_LIMIT): ResultText {
  if (result === undefined) return { kind: "none" };
  if (typeof result === "string") return { kind: "string", text: result };
  try {
    const text: unknown = JSON.stringify(result, replaceBigInt);
    if (typeof text === "string") {
      return { kind: "json", text: text.length > limit ? text : JSON.stringify(result, replaceBigInt, 2) };
    }
  } catch {
    // Deeper or more circular than JSON can be: a stored settlement cannot be, so any readable text will do.
  }
  return { kind: "string", text: `[a ${typeof result} that cannot be shown]` };
}

function replaceBigInt(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

function message(
  heading: string,
  text: string,
  language: string,
  advice: readonly string[],
  options: RenderSettlementOptions,
): RenderedSettlement {
  const shown = cutText(text, options.limit ?? DEFAULT_SCRIPT_RESULT_LIMIT);
  const cut = shown.length < text.length;
  const rest = cut ? [describeRest(shown.length, text.length, options.wholeAt)] : [];
  const written = describeConsole(options);
  const content = [`${heading}\n${fenceText(shown, language)}`, ...rest, ...advice, ...written].join("\n");
  return { kind: "message", content, cut };
}

function describeRest(shown: number, whole: number, wholeAt: string | undefined): string {
  const where = wholeAt === undefined ? "" : ` The whole text is ${wholeAt}.`;
  return `Cut: these are the first ${shown} of ${whole} characters.${where} Ask for the part that you need.`;
}

function describeConsole({
  console,
  limit = DEFAULT_SCRIPT_RESULT_LIMIT,
}: RenderSettlementOptions): string[] {
  if (console === undefined || console.lines.length + console.omittedLines === 0) return [];
  const text = console.lines.join("\n");
  const shown = cutText(text, Math.min(limit, CONSOLE_LIMIT));
  const cut =
    shown.length < text.length ? [`These are the first ${shown.length} of ${text.length} characters.`] : [];
  const omitted =
    console.omittedLines === 0 ? [] : [`At least ${console.omittedLines} more lines were not kept.`];
  return [`It wrote to its console:\n${fenceText(shown, "")}`, ...cut, ...omitted];
}

function durationText(durationMs: number | undefined): string {
  return durationMs !== undefined && Number.isFinite(durationMs) ? formatDuration(durationMs) : "";
}
