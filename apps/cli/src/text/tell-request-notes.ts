import { UNNAMED_MODEL } from "@promptfold/agent-llm-request";
import { mappingIds, requestedMapping } from "@promptfold/renderer";
import type { ReplayedMessages, ReplayedRequest } from "@promptfold/replay";
import { sayNote } from "../terminal/say-note.ts";
import { tellSkipped } from "./skipped-notes.ts";
import { tellReplayedFrom } from "./tell-replayed-from.ts";

/** Says what is to be known of a replayed request: how it was made, what was passed over, where the replay began. */
export function tellRequestNotes(name: string, request: ReplayedMessages): void {
  tellHowItWasMade(name, request);
  tellSkipped(name, request);
  tellReplayedFrom(name, request);
}

/** Says so where no request was opened, or another contract made it. */
export function tellHowItWasMade(name: string, request: ReplayedMessages): void {
  const { offset, opened, guarded, reconstructed, contractVersion, historyChanges } = request;
  const place = `${name}@${offset}`;
  if (guarded) sayNote(place, `this request was asked for and not opened; shown is the state so far`);
  else if (isCompactedAt(offset, historyChanges)) {
    sayNote(
      place,
      `a summary, and no request, stands here; shown is the state so far, and --summary-call shows what wrote it`,
    );
  } else if (!opened) sayNote(place, `no request was opened here; shown is the state so far`);
  else if (reconstructed) {
    const maker = contractVersion === undefined ? "an unknown contract" : `contract ${contractVersion}`;
    sayNote(place, `made under ${maker}; these bytes are reconstructed by the current one`);
  }
}

/** Says so where a request was made for a mapping that is not known. */
export function tellUnknownMapping(name: string, { offset, state }: ReplayedMessages): void {
  const mapping = requestedMapping(state);
  if (mappingIds.includes(mapping)) return;
  sayNote(
    `${name}@${offset}`,
    `made for mapping ${mapping}, which this release does not ship; its messages ` +
      "are the same under every mapping, its body is not",
  );
}

/** Says so where a request recorded no model: which one was called, its events do not tell. */
export function tellUnnamedModel(
  name: string,
  { offset, model }: Pick<ReplayedRequest, "offset" | "model">,
): void {
  if (model !== UNNAMED_MODEL) return;
  sayNote(
    `${name}@${offset}`,
    `the request names no model; the process that called one may have sent its name in place of ${UNNAMED_MODEL}`,
  );
}

function isCompactedAt(offset: number, changes: ReplayedMessages["historyChanges"]): boolean {
  const newest = changes.at(-1);
  return newest?.kind === "compaction" && newest.offset === offset;
}
