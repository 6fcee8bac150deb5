import { flattenIdentity, JournalConfig } from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";

/** The identity in a `journal.json`; what is wrong with the file is a finding, and what is left of it is used. */
export function readIdentity(run: CheckRun, path: string): Readonly<Record<string, unknown>> {
  const text = run.readText(path);
  if (text === undefined) return {};
  const report = (message: string): void => {
    run.report({ code: "invalid-config", severity: "error", message, file: path, line: 1, column: 1 });
  };
  let data: unknown;
  try {
    data = JSON.parse(text) as unknown;
  } catch (error) {
    report(`not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
    return {};
  }
  const { data: config, error } = JournalConfig.safeParse(data);
  for (const issue of error?.issues ?? []) report(`${issue.path.join(".") || "the file"}: ${issue.message}`);
  const identity = config?.identity ?? {};
  for (const { message } of flattenIdentity(identity).problems) report(message);
  return identity;
}
