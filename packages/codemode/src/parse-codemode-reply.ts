import { readCodemodeLine, type CodemodeLine } from "./codemode-line.ts";
import { rejectMalformed, rejectMultiple, rejectTruncated, type ReplyForm } from "./feedback.ts";
import { isTruncated } from "./is-truncated.ts";
import { withProse } from "./join-prose.ts";
import { needsWrap } from "./needs-wrap.ts";
import type { ParsedReply, ReplyOptions } from "./reply.ts";

/**
 * Reads a whole reply in the `<codemode>` format: prose and at most one script.
 *
 * An opening tag stands alone on its line and the body ends at the last closing line; or a whole tag stands alone on
 * one line. Everything in mid-line is prose. A reply that a length limit cut off is never run. Never throws, and takes
 * time linear in the reply. Line numbers in the feedback count from 1.
 */
export function parseCodemodeReply(text: string, options: ReplyOptions = {}): ParsedReply {
  if (isTruncated(options.finishReason)) return rejectTruncated();
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const tags = findTags(lines);
  const openers = tags.filter(isOpening);
  const doubled = openers.some(({ line }) => line.kind === "whole" && line.secondTag);
  if (openers.length > 1 || doubled) {
    return rejectMultiple(
      openers.map(({ at }) => at),
      form,
    );
  }
  const broken = tags.find(({ line }) => line.kind === "broken");
  if (broken?.line.kind === "broken") return rejectMalformed(broken.at, broken.line.problem, form);
  const opener = openers[0];
  const closers = tags.filter(({ line }) => line.kind === "closer");
  const firstCloser = closers[0];
  if (firstCloser && (!opener || firstCloser.at < opener.at)) {
    return rejectMalformed(firstCloser.at, "closes a block that no line has opened", form);
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
    if (closer)
      return rejectMalformed(closer.at, "closes a block that is closed already on its own line", form);
    if (line.code === "") return rejectMalformed(at, "opens and closes a block without code", form);
    const script = { kind: "script" as const, code: line.code, wrap: needsWrap(line.code), ...status };
    return withProse(script, [lines.slice(0, at).join("\n"), lines.slice(at + 1).join("\n")]);
  }
  if (!closer) return rejectMalformed(at, "opens a block that no line closes", form);
  const code = lines
    .slice(at + 1, closer.at)
    .join("\n")
    .trim();
  if (code === "") return rejectMalformed(at, "opens a block without code", form);
  const script = { kind: "script" as const, code, wrap: needsWrap(code), ...status };
  return withProse(script, [lines.slice(0, at).join("\n"), lines.slice(closer.at + 1).join("\n")]);
}

const form: ReplyForm = {
  script: "<codemode> tag",
  example: [
    "Send the script once, its tags alone on lines of their own:",
    "",
    '<codemode status="What it does">',
    "return 1",
    "</codemode>",
  ].join("\n"),
};
