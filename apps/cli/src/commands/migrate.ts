import { migrateJournal } from "@promptfold/journal";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { MEMORY_JOURNAL } from "../input/journal-input.ts";
import { writeJson, writeOut } from "../terminal/write-out.ts";

interface MigrateOptions {
  readonly journal: string;
  readonly json?: true;
}

/** `promptfold migrate`: a journal's tables, created or brought up to date. */
export function addMigrateCommand(program: Command): void {
  program
    .command("migrate")
    .summary("create a journal's tables, or bring them up to date")
    .description(
      "Creates a journal's tables, or brings those of an older release up to date; what it holds stays as it is. Opening a " +
        "journal does the same, so this is for when those who run agents may not create tables. Doing it again does nothing.",
    )
    .requiredOption("--journal <url>", "the journal, as in postgres://user@host/database?schema=agents")
    .option("--json", "what was done as JSON")
    .action(async ({ journal: url, json }: MigrateOptions) => {
      if (url === MEMORY_JOURNAL) {
        throw new UsageError("memory: is gone when the command ends; name a journal, as in sqlite:<path>");
      }
      const report = await migrateJournal(url);
      if (json === true) await writeJson(report);
      else await writeOut(`${report.place}: ${describe(report)}\n`);
    });
}

function describe({ from, to }: { readonly from: number; readonly to: number }): string {
  if (from === to) return `up to date, version ${to} of the tables`;
  if (from === 0) return `created, version ${to} of the tables`;
  return `brought from version ${from} of the tables to ${to}`;
}
