import type { PlacementRules } from "../mapping-definition.ts";

/** For APIs that take every role at any place, whatever comes next: each message keeps its role and place. */
export const inPlacePlacement: PlacementRules = {
  standing: "in-place",
  timelineSystem: "native",
  timelineDeveloper: "native",
  assistant: "assistant",
  userFirst: false,
};
