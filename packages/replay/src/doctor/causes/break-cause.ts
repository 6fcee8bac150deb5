import type { PrefixBreak, PrefixVerdict, ReadBody } from "@promptfold/renderer";
import { type BodyContent, isByModel, isTool, leadLength } from "../bodies/body-content.ts";
import { findBillingLine } from "../bodies/billing-line.ts";
import { cacheRules } from "../cache/cache-rules.ts";
import { type CacheSetting, cacheSettings, settingValue } from "../cache/cache-settings.ts";
import { compareCallIds } from "./call-ids.ts";
import type { ExplainedCause } from "./explained-cause.ts";
import { fieldCause } from "./field-cause.ts";
import { movedCause, rewrittenCause, summaryCause } from "./history-cause.ts";
import { jsonSpelling } from "./json-spelling.ts";
import { besideMediaCause, mediaCause } from "./media-cause.ts";
import { toolsCause } from "./tools-cause.ts";
import { changesAt } from "./varying-text.ts";

/** Why the later of two bodies does not begin with the earlier one; undefined when it does. */
export function breakCause(
  { body: previous, media: oldMedia }: BodyContent,
  { body: next, media }: BodyContent,
  verdict: PrefixVerdict,
): ExplainedCause | undefined {
  const found = verdict.break;
  if (found === undefined) return undefined;
  if (found.kind === "format") {
    return {
      cause: "api-changed",
      detail: `the body before speaks ${previous.format}, this one ${next.format}`,
    };
  }
  const [before, after] = [previous.blocks, next.blocks];
  const field = fieldCause(before, after, found);
  if (field !== undefined) return field;
  if (found.kind === "shape") {
    return {
      cause: "shape-changed",
      detail: `the text at ${found.path} is the same, but its message was joined with another one, or divided, after it was sent`,
    };
  }
  if (isAnsweredPrefill(previous, found)) return undefined;
  if (isInBillingLine(found)) {
    return {
      cause: "varying-id",
      detail: `Claude Code's \`x-anthropic-billing-header\` in the ${found.role} text is another one in this request; it leaves it out with CLAUDE_CODE_ATTRIBUTION_HEADER=0`,
    };
  }
  if (isTool(found.previous) || isTool(found.next)) return toolsCause(previous, next, varyingAt(found));
  // What moved first: two messages that stand at one place differ in their times and identifiers as well. Then what
  // differs in the block itself, from what is told most surely to what is only a likeness.
  return (
    movedCause(before, after, found.block) ??
    spellingCause(found) ??
    mediaCause(oldMedia.get(found.block), media.get(found.block), found.path) ??
    summaryCause(before, after, found) ??
    varyingCause(found) ??
    systemCause(previous, next, found) ??
    besideMediaCause(oldMedia.get(found.block), media.get(found.block), found) ??
    rewrittenCause(before, after, found)
  );
}

function varyingCause(found: PrefixBreak): ExplainedCause | undefined {
  const { kind, previous, next, path, role } = found;
  const ids = kind === "text" ? compareCallIds(previous?.text ?? "", next?.text ?? "") : undefined;
  if (ids === "alone") {
    return {
      cause: "varying-id",
      detail: `the identifier of a tool call at ${path} is another one in this request, and nothing else of it is`,
    };
  }
  switch (varyingAt(found)) {
    case "clock":
      return {
        cause: "clock",
        detail: `a date or a time in the ${role} text is another one in this request`,
      };
    case "id":
      // Another call has another identifier as well.
      if (ids === "among") return undefined;
      return {
        cause: "varying-id",
        detail: `an identifier in the ${role} text is another one in this request`,
      };
    case undefined:
      return undefined;
  }
}

function varyingAt({ kind, previous, next, character }: PrefixBreak): "clock" | "id" | undefined {
  if (kind !== "text" || previous === undefined || next === undefined) return undefined;
  return changesAt(previous.text, next.text, character);
}

function spellingCause({ kind, path, previous, next }: PrefixBreak): ExplainedCause | undefined {
  const spelling = kind === "text" ? jsonSpelling(previous?.text, next?.text) : undefined;
  if (spelling === undefined) return undefined;
  return { cause: "json-reordered", detail: `what stands at ${path} is the same JSON ${spelling}` };
}

function systemCause(
  previous: ReadBody,
  next: ReadBody,
  { block, path }: PrefixBreak,
): ExplainedCause | undefined {
  if (block >= leadLength(previous.blocks) && block >= leadLength(next.blocks)) return undefined;
  return { cause: "system-edited", detail: `the text of ${path} was edited in place` };
}

function isInBillingLine({ previous, next, character }: PrefixBreak): boolean {
  const [old, now] = [previous, next].map((block) => findBillingLine(block?.text ?? "")?.length ?? 0);
  return character > 0 && character < (old ?? 0) && character < (now ?? 0);
}

/** Whether the earlier body ends with the beginning of an answer, and the answer begins so. */
function isAnsweredPrefill({ blocks }: ReadBody, { block, previous, next }: PrefixBreak): boolean {
  if (previous === undefined || next === undefined || block !== blocks.length - 1) return false;
  const isAnswer = isByModel(previous) && isByModel(next) && previous.shape !== "field";
  return isAnswer && next.text.startsWith(previous.text);
}

/** A setting that changed and by itself empties the cache, or the part of it that holds the messages. */
export function settingsCause(
  previous: ReadBody,
  next: ReadBody,
): (ExplainedCause & Pick<CacheSetting, "keeps">) | undefined {
  const changed = cacheSettings(cacheRules(next)).find(
    (setting) => settingValue(previous, setting) !== settingValue(next, setting),
  );
  if (changed === undefined) return undefined;
  const { name, keeps } = changed;
  if (name !== "model") return { cause: "settings-changed", detail: `\`${name}\` is another one`, keeps };
  const [before, after] = [previous, next].map(({ settings }) => settings.get(name) ?? "none");
  return { cause: "model-changed", detail: `the model was ${before} and is ${after}`, keeps };
}
