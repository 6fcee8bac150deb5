import { rejectMalformed, rejectMultiple, rejectTruncated, type ReplyForm } from "./feedback.ts";
import { isTruncated } from "./is-truncated.ts";
import { withProse } from "./join-prose.ts";
import { needsWrap } from "./needs-wrap.ts";
import type { ParsedReply, ReplyOptions } from "./reply.ts";

/**
 * Reads a whole reply in the default format: prose and at most one fenced `ts` (or `typescript`) block with an async
 * function of `host`. Fences are Markdown's: three or more backticks or tildes, closed by at least as many alone on
 * their line; a block inside another fence is text. A reply that a length limit cut off is never run, nor is one with
 * a fence left open behind the script, for then a line inside the code has closed it. Never throws; linear.
 */
export function parseFencedReply(text: string, options: ReplyOptions = {}): ParsedReply {
  if (isTruncated(options.finishReason)) return rejectTruncated();
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const fences = findFences(lines);
  const scripts = fences.filter(({ language }) => language === "ts" || language === "typescript");
  const script = scripts[0];
  if (!script) return withProse({ kind: "none" }, [lines.join("\n")]);
  if (scripts.length > 1) {
    return rejectMultiple(
      scripts.map(({ start }) => start),
      form,
    );
  }
  if (script.end === undefined)
    return rejectMalformed(script.start, "opens a block that no line closes", form);
  const open = fences.find(({ end }) => end === undefined);
  if (open) {
    const problem =
      "opens a fence that no line closes; if it belongs to the script, put the script into a longer fence (````ts)";
    return rejectMalformed(open.start, problem, form);
  }
  const body = lines.slice(script.start + 1, script.end);
  const code = body.join("\n").trim();
  if (code === "") return rejectMalformed(script.start, "opens a block without code", form);
  return withProse({ kind: "script", code, wrap: needsWrap(code) }, [
    lines.slice(0, script.start).join("\n"),
    lines.slice(script.end + 1).join("\n"),
  ]);
}

interface Fence {
  /** Index of the opening line. */
  start: number;
  /** Index of the closing line; absent while open. */
  end?: number;
  /** First word after the fence, in lower case. */
  language: string;
}

function findFences(lines: readonly string[]): Fence[] {
  const fences: Fence[] = [];
  let open: { fence: Fence; mark: string } | undefined;
  for (const [at, line] of lines.entries()) {
    const text = line.trim();
    const mark = readMark(text);
    if (mark === "") continue;
    if (open) {
      if (text !== mark || mark[0] !== open.mark[0] || mark.length < open.mark.length) continue;
      open.fence.end = at;
      open = undefined;
    } else {
      const info = text.slice(mark.length).trim();
      if (mark.startsWith("`") && info.includes("`")) continue;
      const fence: Fence = { start: at, language: (/^[^\s{]*/.exec(info)?.[0] ?? "").toLowerCase() };
      fences.push(fence);
      open = { fence, mark };
    }
  }
  return fences;
}

function readMark(text: string): string {
  return /^(?:`{3,}|~{3,})/.exec(text)?.[0] ?? "";
}

const form: ReplyForm = {
  script: "`ts` block",
  example: [
    "Send the script once, in one fenced block:",
    "",
    "```ts",
    "async (host) => {",
    "  return 1;",
    "}",
    "```",
  ].join("\n"),
};
