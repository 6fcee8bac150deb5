import { mayBecomeTag, readCodemodeLine } from "./codemode-line.ts";
import { joinProse } from "./join-prose.ts";

/** What a live view may show of a reply that is still being written. */
export interface StreamedReply {
  /** Text for the user so far; `""` if there is none. */
  prose: string;
  /** The script so far, once its opening line is complete. */
  script?: { code: string; closed: boolean; status?: string };
}

/** What is known about the text besides its characters. */
export interface StreamOptions {
  /** The reply has ended, so its last line is complete even without a line break. Default: `false`. */
  complete?: boolean;
}

/**
 * Reads the beginning of a reply in the `<codemode>` format, cut anywhere.
 *
 * No part of a line that could still become a tag is given out, and what was given out is never taken back: for two
 * cuts of one reply the later prose and code begin with the earlier. The script ends at its first closing line, so it
 * may differ from what `parseCodemodeReply` makes of the whole reply. Nothing is given out beyond a line that
 * makes the reply one that cannot run. Never throws; linear in the text.
 */
export function parseCodemodeStream(text: string, options: StreamOptions = {}): StreamedReply {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const last = lines.at(-1) ?? "";
  const withheld = options.complete !== true && mayBecomeTag(last);
  if (withheld) lines.pop();
  /** The index of a last line that is no tag, however it goes on. */
  const textAt = options.complete === true || withheld ? -1 : lines.length - 1;
  const before: string[] = [];
  const after: string[] = [];
  const code: string[] = [];
  let script: { closed: boolean; status?: string } | undefined;
  for (const [at, text] of lines.entries()) {
    const line = at === textAt ? ({ kind: "text" } as const) : readCodemodeLine(text);
    if (line.kind === "text") {
      (script === undefined ? before : script.closed ? after : code).push(text);
    } else if (line.kind === "closer" && script) {
      if (script.closed) after.push(text);
      script.closed = true;
    } else if (
      script === undefined &&
      (line.kind === "opener" || (line.kind === "whole" && !line.secondTag))
    ) {
      script = {
        closed: line.kind === "whole",
        ...(line.status === undefined ? {} : { status: line.status }),
      };
      if (line.kind === "whole") code.push(line.code);
    } else {
      break;
    }
  }
  const prose = joinProse([before.join("\n"), after.join("\n")]);
  if (!script) return { prose };
  return { prose, script: { code: code.join("\n").trim(), ...script } };
}
