import { createLocator } from "@promptfold/parser";
import {
  createMemberLocator,
  duplicateMembers,
  explainConfig,
  explainJsonFault,
  flattenIdentity,
  JournalConfig,
  nearestName,
  readJson,
} from "@promptfold/templating";
import { explainDuplicate } from "./check-frontmatter.ts";
import type { CheckRun } from "./check-run.ts";

/** Fields of a `journal.json` that have a meaning. */
const MEANINGFUL = ["identity"];

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
  const offsetOf = createMemberLocator(text);
  const { data: config } = JournalConfig.safeParse(reading.data);
  if (config === undefined) {
    report(explainConfig(reading.data), offsetOf(["identity"]));
    return undefined;
  }
  for (const field of Object.keys(config)) {
    const near = MEANINGFUL.includes(field) ? undefined : nearestName(field, MEANINGFUL);
    if (near === undefined) continue;
    const message = `${field} has no meaning here; did you mean ${near}?`;
    const place = locate(offsetOf([field]) ?? 0);
    run.report({ code: "unknown-metadata", severity: "warning", message, file: path, ...place });
  }
  const identity = config.identity ?? {};
  for (const { message, field = [] } of flattenIdentity(identity).problems)
    report(message, offsetOf(["identity", ...field]));
  return identity;
}
