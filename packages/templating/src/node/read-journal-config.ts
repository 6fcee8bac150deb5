import { JournalConfig } from "../metadata-schema.ts";
import { UnreadableFileError } from "./errors.ts";
import { readText } from "./read-text.ts";

/**
 * Reads `config/journal.json`, whose `identity` block personalises prompts.
 *
 * @throws UnreadableFileError when it is not JSON of that shape, and what the file system throws
 */
export function readJournalConfig(path: string): JournalConfig {
  const text = readText(path);
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\ufeff/, "")) as unknown;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UnreadableFileError(path, `not valid JSON: ${reason}`, { cause });
  }
  const { data: config, error } = JournalConfig.safeParse(data);
  if (config !== undefined) return config;
  const [issue] = error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new UnreadableFileError(
    path,
    `${field === "" ? "the file" : field}: ${issue?.message ?? "wrong shape"}`,
  );
}
