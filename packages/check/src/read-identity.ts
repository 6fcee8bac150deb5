import { createLocator } from "@promptfold/parser";
import {
  duplicateMembers,
  explainConfig,
  explainJsonFault,
  flattenIdentity,
  JournalConfig,
  readJson,
} from "@promptfold/templating";
import { explainDuplicate } from "./check-frontmatter.ts";
import type { CheckRun } from "./check-run.ts";

/**
 * The identity in a `journal.json`; what is wrong with the file is a finding, and what is left of it is used. Undefined when
 * nothing can be said of it.
 */
export function readIdentity(run: CheckRun, path: string): Readonly<Record<string, unknown>> | undefined {
  const text = run.readText(path);
  if (text === undefined) return undefined;
  const locate = createLocator(text);
  const report = (message: string, offset = 0): void => {
    run.report({ code: "invalid-config", severity: "error", message, file: path, ...locate(offset) });
  };
  const reading = readJson(text);
  if (reading.kind === "fault") {
    report(explainJsonFault(reading.fault), reading.fault.offset);
    return undefined;
  }
  for (const { name, offset } of duplicateMembers(text)) report(explainDuplicate(name), offset);
  const { data: config } = JournalConfig.safeParse(reading.data);
  if (config === undefined) {
    report(explainConfig(reading.data));
    return undefined;
  }
  const identity = config.identity ?? {};
  for (const { message } of flattenIdentity(identity).problems) report(message);
  return identity;
}
