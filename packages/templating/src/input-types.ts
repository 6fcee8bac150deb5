import { printable } from "@promptfold/contract";
import type { InputDeclaration } from "./metadata.ts";

/** A prompt and the inputs it declares. */
export interface PromptInputs {
  readonly name: string;
  readonly inputs: readonly InputDeclaration[];
}

/**
 * A TypeScript declaration of what prompts take from their callers: an interface `PromptInputs` with one entry a prompt.
 * An input that is not required, or has a default, is optional; descriptions become comments. Control characters and
 * marks of direction are written as their codes.
 */
export function inputTypes(prompts: readonly PromptInputs[]): string {
  const entries = prompts.map(({ name, inputs }) => {
    const fields = inputs.map((input) => `${comment(input)}    ${field(input)};\n`).join("");
    return `  ${printable(JSON.stringify(name))}: {\n${fields}  };\n`;
  });
  return `/** What each prompt takes from its caller. */\nexport interface PromptInputs {\n${entries.join("")}}\n`;
}

function field({ name, type, required, default: fallback }: InputDeclaration): string {
  return `${name}${required && fallback === undefined ? "" : "?"}: ${type === "integer" ? "number" : type}`;
}

function comment({ description, default: fallback }: InputDeclaration): string {
  const parts = [
    ...(description === undefined ? [] : [description.replace(/\s+/g, " ").trim()]),
    ...(fallback === undefined ? [] : [`${JSON.stringify(fallback)} unless given.`]),
  ];
  // A description must not end the comment that holds it.
  return parts.length === 0 ? "" : `    /** ${printable(parts.join(" ")).replaceAll("*/", "*\\/")} */\n`;
}
