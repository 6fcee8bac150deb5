import { dirname, isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Section } from "@promptfold/parser";
import { requestParameters } from "@promptfold/templating";
import {
  configPlaces,
  type LoadedSections,
  loadPromptSections,
  readJournalConfig,
} from "@promptfold/templating/node";

/** A prompt ready to be born, with the name that its events' origins carry. */
export interface ConfigPrompt {
  readonly name: string;
  readonly sections: readonly Section[];
  /** The request parameters that its metadata sets. */
  readonly parameters: ReturnType<typeof requestParameters>;
}

/** The folder of the default configuration, wherever it is installed. */
export function defaultConfigFolder(): string {
  return folderOf(import.meta.resolve("@promptfold/config-default/package.json"));
}

/** The default system prompt, personalised with the templates and the identity that stand beside it. */
export function readDefaultPrompt(): ConfigPrompt {
  const name = "agent-system-prompt";
  const folder = defaultConfigFolder();
  const { promptsDir, templatesDir, journalPath } = configPlaces(folder);
  const { identity } = readJournalConfig(journalPath);
  const { sections, path, metadata } = loadPromptSections(name, {
    baseDir: promptsDir,
    templatesDir,
    identity,
  });
  return {
    name,
    sections: namedByPackage(sections, folder, "@promptfold/config-default"),
    parameters: requestParameters({ file: path, metadata }),
  };
}

/** The sections that the codemode-tag worker re-adds. */
export function readReplyFormat(): readonly Section[] {
  const folder = folderOf(import.meta.resolve("@promptfold/config-codemode-tag/package.json"));
  const { sections } = loadPromptSections("output-formatting", { baseDir: configPlaces(folder).promptsDir });
  return namedByPackage(sections, folder, "@promptfold/config-codemode-tag");
}

function folderOf(url: string): string {
  return dirname(fileURLToPath(url));
}

/** An origin names the file as its package does: where it is installed is no business of the stream. */
function namedByPackage(sections: LoadedSections["sections"], folder: string, name: string): Section[] {
  return sections.map((section) => {
    const { file } = section.origin;
    const inside = isAbsolute(file) ? relative(folder, file) : file;
    return { ...section, origin: { ...section.origin, file: [name, ...inside.split(sep)].join("/") } };
  });
}
