import { createLocator, normalizeText } from "@promptfold/parser";
import { explainConfig } from "../explain-metadata.ts";
import { explainInexact, findInexactJson } from "../inexact-number.ts";
import { JournalConfig } from "../metadata-schema.ts";
import { createMemberLocator, explainJsonFault, readJson } from "../read-json.ts";
import { UnreadableFileError } from "./errors.ts";
import { readText, type ReadTextOptions } from "./read-text.ts";

/**
 * Reads `config/journal.json`, whose `identity` block personalises prompts.
 *
 * @throws UnreadableFileError when it is not there, or not JSON of that shape
 */
export function readJournalConfig(path: string, options: ReadTextOptions = {}): JournalConfig {
  const text = normalizeText(readText(path, options));
  const reading = readJson(text);
  if (reading.kind === "fault") {
    const place = createLocator(text)(reading.fault.offset);
    throw new UnreadableFileError(path, explainJsonFault(reading.fault), { cause: reading.cause, place });
  }
  if (!JournalConfig.safeParse(reading.data).success) {
    const offset = createMemberLocator(text)(["identity"]);
    const place = offset === undefined ? undefined : createLocator(text)(offset);
    throw new UnreadableFileError(path, explainConfig(reading.data), { place });
  }
  const inexact = findInexactJson(text);
  if (inexact !== undefined)
    throw new UnreadableFileError(path, explainInexact(inexact), {
      place: createLocator(text)(inexact.offset),
    });
  // As it was written: what the schema gives lacks names that it passes over.
  return reading.data as JournalConfig;
}
