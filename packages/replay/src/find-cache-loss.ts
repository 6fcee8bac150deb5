import { type MappedRequest, readBody, type RenderedRequest } from "@promptfold/renderer";
import { settingsCause } from "./doctor/causes/break-cause.ts";

/** What decides besides the messages whether a later request finds what an earlier one left in a cache. */
export type SentRequest = Pick<RenderedRequest, "mapping" | "model"> & Pick<MappedRequest<unknown>, "body">;

/** Why a request finds less in the provider's cache than its text has in common with an earlier one. */
export interface CacheLoss {
  readonly cause: "mapping-changed" | "model-changed" | "settings-changed" | "unmarked" | "too-short";
  /** What was seen, in one sentence. */
  readonly detail: string;
  /**
   * What a cache can give all the same: nothing, what leads a request (the protocol message and the standing document), or
   * what ends at a mark of the earlier request's that the later one finds.
   */
  readonly keeps: "nothing" | "lead" | "marked";
}

/**
 * What changed between two requests that by itself empties a cache, or the part of it that holds the messages: the
 * mapping, the model, or a setting that is part of what is cached. The settings are those that the doctor knows.
 */
export function findCacheLoss(earlier: SentRequest, later: SentRequest): CacheLoss | undefined {
  if (earlier.mapping !== later.mapping) {
    return {
      cause: "mapping-changed",
      detail: `the mapping was ${earlier.mapping} and is ${later.mapping}`,
      keeps: "nothing",
    };
  }
  // Some APIs name the model in the URL and not in the body.
  if (earlier.model !== later.model) {
    return {
      cause: "model-changed",
      detail: `the model was ${JSON.stringify(earlier.model)} and is ${JSON.stringify(later.model)}`,
      keeps: "nothing",
    };
  }
  const changed = settingsCause(readBody(earlier.body), readBody(later.body));
  return changed && { cause: "settings-changed", detail: changed.detail, keeps: changed.keeps };
}
