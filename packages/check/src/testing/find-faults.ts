import { join } from "node:path";
import { checkPaths, type CheckOptions } from "../check-paths.ts";
import { writeFolder } from "./write-folder.ts";

const LITERAL = " (for a literal dollar write $$)";

/** What is found in files, by their paths, as lines: place, severity, code, and the message without its last hint. */
export async function findFaults(
  files: Record<string, string>,
  path = "",
  options: CheckOptions = {},
): Promise<string[]> {
  const dir = writeFolder(files);
  const { findings } = await checkPaths([join(dir, path)], options);
  return findings.map(({ file, line, column, severity, code, message }) =>
    `${file}:${line}:${column} ${severity} ${code}: ${message.replace(LITERAL, "")}`.replaceAll(
      `${dir}/`,
      "",
    ),
  );
}

/** The `journal.json` of an identity, as a file. */
export function identityFile(identity: Record<string, unknown>): Record<string, string> {
  return { "config/journal.json": JSON.stringify({ identity }) };
}
