import { createLocator, normalizeText } from "@promptfold/parser";
import { diagnoseConfig } from "../diagnose-config.ts";
import type { JournalConfig } from "../metadata-schema.ts";
import { UnreadableFileError } from "./errors.ts";
import { readText, type ReadTextOptions } from "./read-text.ts";

/**
 * Reads `config/journal.json`, whose `identity` block personalises prompts.
 *
 * @throws UnreadableFileError when it is not there, or not JSON of that shape, or its first fault otherwise
 */
export function readJournalConfig(path: string, options: ReadTextOptions = {}): JournalConfig {
  const text = normalizeText(readText(path, options));
  const { config, faults } = diagnoseConfig(text);
  const [fault] = faults;
  if (fault !== undefined || config === undefined) {
    const { offset = 0, message = "it cannot be used", cause } = fault ?? {};
    throw new UnreadableFileError(path, message, { cause, place: createLocator(text)(offset) });
  }
  return config;
}
