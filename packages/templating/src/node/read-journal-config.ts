import { createLocator, normalizeText } from "@promptfold/parser";
import { JournalConfig } from "../metadata-schema.ts";
import { readJson } from "../read-json.ts";
import { UnreadableFileError } from "./errors.ts";
import { readText } from "./read-text.ts";

/**
 * Reads `config/journal.json`, whose `identity` block personalises prompts.
 *
 * @throws UnreadableFileError when it is not JSON of that shape, and what the file system throws
 */
export function readJournalConfig(path: string): JournalConfig {
  const text = normalizeText(readText(path));
  const reading = readJson(text);
  if (reading.kind === "fault") {
    const place = createLocator(text)(reading.fault.offset);
    const reason = `not valid JSON: ${reading.fault.reason}`;
    throw new UnreadableFileError(path, reason, { cause: reading.cause, place });
  }
  const { data: config, error } = JournalConfig.safeParse(reading.data);
  if (config !== undefined) return config;
  const [issue] = error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new UnreadableFileError(
    path,
    `${field === "" ? "the file" : field}: ${issue?.message ?? "wrong shape"}`,
  );
}
