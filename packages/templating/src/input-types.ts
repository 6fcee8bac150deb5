import { printable } from "@promptfold/contract";
import { requireList, requireObject, requireText } from "./require-argument.ts";
import type { InputDeclaration } from "./metadata.ts";

/** A prompt, by the name that its callers know it by, and the inputs it declares, as `inputDeclarations` reads them. */
export interface PromptInputs {
  readonly name: string;
  readonly inputs: readonly InputDeclaration[];
}

const SHAPE = '[{ name: "daily", inputs: inputDeclarations(file) ?? [] }]';

/**
 * A TypeScript declaration of what prompts take from their callers: an interface `PromptInputs` with one entry a prompt.
 * An input that is not required, or has a default, is optional; descriptions become comments. Control characters and
 * marks of direction are written as their codes.
 *
 * @throws ArgumentTypeError
 */
export function inputTypes(prompts: readonly PromptInputs[]): string {
  requireList(prompts, "the prompts", SHAPE);
  const entries = prompts.map((prompt) => {
    requireObject(prompt, "each prompt", SHAPE);
    const { name, inputs } = prompt;
    requireText(name, "the name of each prompt", SHAPE);
    requireList(inputs, "the inputs of each prompt", SHAPE);
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
