import type { PromptFile } from "../prompt-file.ts";
import { type PromptSection, promptSections } from "../prompt-sections.ts";
import { requireObject } from "../require-argument.ts";
import type { Metadata } from "../read-frontmatter.ts";
import { renderPrompt } from "../render-prompt.ts";
import type { Bindings } from "../variables.ts";
import { readPrompt } from "./read-prompt.ts";
import { readTemplates } from "./read-templates.ts";

/** Where a prompt is, and what it is personalised with. */
export interface LoadPromptOptions {
  /** The folder of prompts. */
  readonly baseDir: string;
  /** The folder of templates; without it there are none. */
  readonly templatesDir?: string | undefined;
  /** The `identity` block of `config/journal.json`. */
  readonly identity?: Readonly<Record<string, unknown>> | undefined;
  /** Variables of the caller. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/** A prompt, personalised. `text` is for reading and for prompts without sections. */
export interface LoadedPrompt {
  readonly text: string;
  readonly path: string;
  readonly metadata: Metadata;
}

/** A prompt as sections with their values bound. */
export interface LoadedSections {
  readonly sections: readonly PromptSection[];
  readonly path: string;
  readonly metadata: Metadata;
}

/**
 * Loads a prompt by name and puts its templates and values in.
 *
 * @throws PromptNotFoundError, InvalidPromptNameError, FrontmatterError, TemplateCycleError, InvalidVariableError,
 *   PromptTooLargeError, UnreadableFileError, ArgumentTypeError
 */
export function loadPrompt(name: string, options: LoadPromptOptions): LoadedPrompt {
  const file = readPrompt(name, options);
  return { text: renderPrompt(file, bindingsOf(options)), path: file.file, metadata: file.metadata };
}

/**
 * Loads a prompt by name as sections, ready to become events.
 *
 * @param options - `fallbackKey` is the key of text outside tags; the file's stem unless given
 * @throws what {@link loadPrompt} throws, and SectionSyntaxError
 */
export function loadPromptSections(
  name: string,
  options: LoadPromptOptions & { readonly fallbackKey?: string | undefined },
): LoadedSections {
  const file = readPrompt(name, options);
  const fallbackKey = options.fallbackKey ?? fileStem(file);
  const sections = promptSections(file, bindingsOf(options), { fallbackKey });
  return { sections, path: file.file, metadata: file.metadata };
}

function bindingsOf({ templatesDir, identity, context }: LoadPromptOptions): Bindings {
  if (identity !== undefined) requireObject(identity, "identity", "the identity block of journal.json");
  if (context !== undefined) requireObject(context, "context", 'variables by name, as in { day: "Friday" }');
  return {
    identity,
    context,
    templates: templatesDir === undefined ? undefined : readTemplates(templatesDir),
  };
}

function fileStem({ file }: PromptFile): string {
  return /[^/\\]*$/.exec(file)?.[0].replace(/\.md$/, "") ?? "prompt";
}
