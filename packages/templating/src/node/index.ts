export {
  configPlaces,
  type ConfigPlaces,
  isConfigFolder,
  nameOrigin,
  personalises,
  placeInConfig,
} from "./config-folder.ts";
export { InvalidPromptNameError, PromptNotFoundError, UnreadableFileError } from "./errors.ts";
export { explainFileFault } from "./explain-file-fault.ts";
export { leadsInCircle } from "./leads-in-circle.ts";
export { danglingLink, type FollowedLink, type FollowedPath, followLinks, isThere } from "./follow-links.ts";
export {
  type FolderEntry,
  isFolder,
  isListed,
  listFolder,
  listMarkdown,
  markdownByStem,
  walkFolders,
} from "./list-folder.ts";
export { type ListedPrompt, listPrompts, type UnreadablePrompt } from "./list-prompts.ts";
export {
  type LoadedPrompt,
  type LoadedSections,
  loadPrompt,
  type LoadPromptOptions,
  loadPromptSections,
} from "./load-prompt.ts";
export { readJournalConfig } from "./read-journal-config.ts";
export { readPrompt } from "./read-prompt.ts";
export { readTemplates } from "./read-templates.ts";
export { decodeText, readText, type ReadTextOptions, STDIN_NAME } from "./read-text.ts";
