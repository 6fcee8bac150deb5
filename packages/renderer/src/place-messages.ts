import type { Message } from "@promptfold/contract";
import { escapeLabels, labelText } from "./labels.ts";
import type { ModelBlock } from "./mapping.ts";
import type { PlacementRules } from "./mapping-definition.ts";
import type { RenderedMessage } from "./render-messages.ts";
import { wellFormed } from "./well-formed.ts";

/** Whether a message belongs to the standing part of a request: the protocol message and the standing document. */
export function isStandingMessage({ from }: Message): boolean {
  return from.kind === "protocol" || from.kind === "standing-document";
}

/**
 * The standing messages as blocks. `labels` is added to the protocol message where the mapping labels user blocks.
 */
export function placeStanding(
  messages: readonly RenderedMessage[],
  rules: PlacementRules,
  labels: string | undefined,
): ModelBlock[] {
  const blocks = messages.map(({ role, content, from, sections }): ModelBlock => {
    const explained = labels !== undefined && labelsUserBlocks(rules) && from.kind === "protocol";
    const text = wellFormed(explained ? `${content}\n\n${labels}` : content);
    return sections === undefined ? { role, text, from } : { role, text, from, sections };
  });
  const first = blocks[0];
  if (rules.standing !== "joined" || first === undefined || blocks.length === 1) return blocks;
  const joined = blocks.map((block) => (block === first ? block : afterBlankLine(block)));
  return [{ ...first, text: joined.map(({ text }) => text).join(""), joined }];
}

/** A block as it follows another one in the same text: the blank line between them is its own. */
function afterBlankLine(block: ModelBlock): ModelBlock {
  const text = `\n\n${block.text}`;
  if (block.sections === undefined) return { ...block, text };
  const shift = text.length - block.text.length;
  const sections = block.sections.map(({ start, ...section }, index) => ({
    ...section,
    start: index === 0 ? 0 : start + shift,
  }));
  return { ...block, text, sections };
}

/** Whether a mapping with these rules ever labels a user block; then it escapes labels in all of them. */
function labelsUserBlocks(rules: PlacementRules): boolean {
  return rules.timelineSystem === "label" || rules.timelineDeveloper === "label" || rules.userFirst;
}

/**
 * Places one message of the timeline, where it stands: under its own role if the API has that role at this place
 * whatever comes next, else as a labelled user block. `follows` says whether another message of the timeline stands
 * before it.
 */
export function placeMessage(message: RenderedMessage, rules: PlacementRules, follows: boolean): ModelBlock {
  const { sections } = message;
  const block = placeText(message, rules, follows);
  // What stands before a section's text in its block, such as a label, is the section's own.
  return sections === undefined ? block : { ...block, sections };
}

function placeText(message: Message, rules: PlacementRules, follows: boolean): ModelBlock {
  const { role, from } = message;
  const content = wellFormed(message.content);
  if (role === "assistant") {
    if (follows || !rules.userFirst) return { role: rules.assistant, text: content, from };
    return { role: "user", text: labelText(role, content), from };
  }
  if (role === "user") return { role, text: labelsUserBlocks(rules) ? escapeLabels(content) : content, from };
  const isNative = (role === "system" ? rules.timelineSystem : rules.timelineDeveloper) === "native";
  return isNative ? { role, text: content, from } : { role: "user", text: labelText(role, content), from };
}
