import type { PlacementRules } from "../mapping-definition.ts";

/**
 * For APIs whose messages are the user's and the assistant's alone, the user's first: the protocol and the standing
 * document go into a field of their own, and later system and developer messages are labelled user blocks.
 */
export const twoRolePlacement: PlacementRules = {
  standing: "apart",
  timelineSystem: "label",
  timelineDeveloper: "label",
  assistant: "assistant",
  userFirst: true,
};
