import type { Role } from "@promptfold/contract";

/** The first line of a labelled block. */
const labels: Readonly<Record<Role, string>> = {
  system: "[[promptfold:system]]\n",
  developer: "[[promptfold:developer]]\n",
  assistant: "[[promptfold:assistant]]\n",
  user: "[[promptfold:user]]\n",
};

/**
 * A text as the content of a user block that counts as another role's message: the label on a line of its own, then
 * the text with every label opening in it escaped.
 */
export function labelText(role: Role, text: string): string {
  return labels[role] + escapeLabels(text);
}

/** An opening, or a text's end that the next block could complete to one where blocks are read as one message. */
const openingOrStart =
  /\[\[promptfold\\*(?=:)|\[(?:\[(?:p(?:r(?:o(?:m(?:p(?:t(?:f(?:o(?:ld?)?)?)?)?)?)?)?)?)?)?\\*$/g;

/**
 * Writes one more backslash before the colon of each label opening, and after what may be the start of one at the end
 * of the text, however many stand there. So no text can carry a label, not even together with the next one, and two
 * texts never come out the same.
 */
export function escapeLabels(text: string): string {
  return text.includes("[") ? text.replaceAll(openingOrStart, "$&\\") : text;
}

/** The text that `escapeLabels` was given. */
export function unescapeLabels(text: string): string {
  return text.replaceAll(openingOrStart, (found) => (found.endsWith("\\") ? found.slice(0, -1) : found));
}

/** Reads a user block of a mapping that labels: the role that it counts as, and the text as it was before. */
export function readLabel(block: string): { readonly role: Role; readonly text: string } {
  const label = /^\[\[promptfold:(system|developer|assistant)\]\]\n/.exec(block);
  const text = unescapeLabels(label === null ? block : block.slice(label[0].length));
  return { role: label === null ? "user" : (label[1] as Role), text };
}
