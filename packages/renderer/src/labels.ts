import type { Role } from "@promptfold/contract";

const OPENING = "[[promptfold:";

/**
 * A text as the content of a user block that counts as another role's message: the label on a line of its own, then
 * the text with every label opening in it escaped.
 */
export function labelText(role: Role, text: string): string {
  return `${OPENING}${role}]]\n${escapeLabels(text)}`;
}

/**
 * Writes one more backslash before the colon of each label opening, however many stand there. So no text can carry a
 * label, and two texts never come out the same.
 */
export function escapeLabels(text: string): string {
  return text.includes("[[promptfold") ? text.replaceAll(/\[\[promptfold(\\*):/g, "[[promptfold\\$1:") : text;
}

/** The text that `escapeLabels` was given. */
export function unescapeLabels(text: string): string {
  return text.replaceAll(/\[\[promptfold\\(\\*):/g, "[[promptfold$1:");
}

/** Reads a user block of a mapping that labels: the role that it counts as, and the text as it was before. */
export function readLabel(block: string): { readonly role: Role; readonly text: string } {
  const label = /^\[\[promptfold:(system|developer|assistant)\]\]\n/.exec(block);
  const text = unescapeLabels(label === null ? block : block.slice(label[0].length));
  return { role: label === null ? "user" : (label[1] as Role), text };
}
