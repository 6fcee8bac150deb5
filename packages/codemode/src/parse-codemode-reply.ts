import { readCodemodeLine, type CodemodeLine } from "./codemode-line.ts";
import { isTruncated } from "./is-truncated.ts";
import { joinProse } from "./join-prose.ts";
import { needsWrap } from "./needs-wrap.ts";
import type { ParsedReply, RejectedReply, ReplyOptions } from "./reply.ts";

/**
 * Reads a whole reply in the `<codemode>` format: prose and at most one script.
 *
 * An opening tag stands alone on its line and the body ends at the last closing line; or a whole tag stands alone on
 * one line. Everything in mid-line is prose. A reply that a length limit cut off is never run. Never throws, and takes
 * time linear in the reply. Line numbers in the feedback count from 1.
 */
export function parseCodemodeReply(text: string, options: ReplyOptions = {}): ParsedReply {
  if (isTruncated(options.finishReason)) return { kind: "truncated", feedback: truncatedFeedback };
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const tags = findTags(lines);
  const openers = tags.filter(isOpening);
  const doubled = openers.find(({ line }) => line.kind === "whole" && line.secondTag);
  if (openers.length > 1 || doubled) return rejectMultiple(openers, doubled);
  const broken = tags.find(({ line }) => line.kind === "broken");
  if (broken?.line.kind === "broken") return malformed(broken.at, broken.line.problem);
  const opener = openers[0];
  const closers = tags.filter(({ line }) => line.kind === "closer");
  const firstCloser = closers[0];
  if (firstCloser && (!opener || firstCloser.at < opener.at)) {
    return malformed(firstCloser.at, "closes a block that no line has opened");
  }
  if (!opener) return withProse({ kind: "none" }, [text.replaceAll("\r\n", "\n")]);
  return readScript(lines, opener, closers.at(-1));
}

interface FoundTag {
  /** Index of the line. */
  at: number;
  line: CodemodeLine;
}

function findTags(lines: readonly string[]): FoundTag[] {
  return lines.flatMap((text, at) => {
    const line = readCodemodeLine(text);
    return line.kind === "text" ? [] : [{ at, line }];
  });
}

function isOpening({ line }: FoundTag): boolean {
  return line.kind === "opener" || line.kind === "whole";
}

function readScript(lines: readonly string[], opener: FoundTag, closer: FoundTag | undefined): ParsedReply {
  const { at, line } = opener;
  const status = "status" in line ? { status: line.status } : {};
  if (line.kind === "whole") {
    if (closer) return malformed(closer.at, "closes a block that is closed already on its own line");
    if (line.code === "") return malformed(at, "opens and closes a block without code");
    const script = { kind: "script" as const, code: line.code, wrap: needsWrap(line.code), ...status };
    return withProse(script, [lines.slice(0, at).join("\n"), lines.slice(at + 1).join("\n")]);
  }
  if (!closer) return malformed(at, "opens a block that no line closes");
  const code = lines
    .slice(at + 1, closer.at)
    .join("\n")
    .trim();
  if (code === "") return malformed(at, "opens a block without code");
  const script = { kind: "script" as const, code, wrap: needsWrap(code), ...status };
  return withProse(script, [lines.slice(0, at).join("\n"), lines.slice(closer.at + 1).join("\n")]);
}

function withProse<Reply extends ParsedReply>(reply: Reply, parts: readonly string[]): Reply {
  const prose = joinProse(parts);
  return prose === "" ? reply : { ...reply, prose };
}

const form = [
  "Send the script once, its tags alone on lines of their own:",
  "",
  '<codemode status="What it does">',
  "return 1",
  "</codemode>",
].join("\n");

const truncatedFeedback =
  "Your reply reached the length limit and was cut off, so nothing in it was run. " +
  "Send a shorter reply: less prose, and a script that does less at once.";

function rejectMultiple(openers: readonly FoundTag[], doubled: FoundTag | undefined): RejectedReply {
  const places =
    openers.length > 1 ? `on ${listLines(openers.map(({ at }) => at))}` : `on line ${(doubled?.at ?? 0) + 1}`;
  return {
    kind: "multiple",
    feedback:
      `Your reply holds more than one <codemode> tag, ${places}, so nothing in it was run. ` +
      `Put everything into one block, or send one block and wait for its result. ${form}`,
  };
}

function listLines(indexes: readonly number[]): string {
  const shown = indexes.slice(0, 5).map((index) => index + 1);
  const rest = indexes.length - shown.length;
  return `lines ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function malformed(at: number, problem: string): RejectedReply {
  return {
    kind: "malformed",
    feedback: `Nothing in your reply was run: line ${at + 1} ${problem}. ${form}`,
  };
}
