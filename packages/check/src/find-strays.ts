import { basename } from "node:path";
import { statSync } from "node:fs";
import { CONTEXT_NAMES, listVariables, upperFirstName } from "@promptfold/templating";
import { readText, UnreadableFileError } from "@promptfold/templating/node";

/** Longer Markdown is no prompt that somebody put into the wrong folder. */
const LONGEST = 1_000_000;

/**
 * The files among those beside a folder of prompts that read like prompts: they name a variable that the prompts could
 * use. What is written in capitals, such as README.md, is about the folder.
 *
 * @param names - the variables and templates of the config folder
 */
export function findStrays(paths: readonly string[], names: Iterable<string>): string[] {
  const known = new Set([...CONTEXT_NAMES, ...names]);
  for (const name of [...known]) known.add(upperFirstName(name));
  return paths.filter((path) => {
    const stem = basename(path, ".md");
    if (stem === stem.toUpperCase() || stem.toLowerCase() === "readme") return false;
    return listVariables(readIfShort(path)).some((name) => known.has(name));
  });
}

function readIfShort(path: string): string {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= LONGEST ? readText(path) : "";
  } catch (error) {
    // Nobody asked for this file: what is wrong with it is nobody's concern here.
    if (UnreadableFileError.isInstance(error) || (error instanceof Error && "code" in error)) return "";
    throw error;
  }
}
