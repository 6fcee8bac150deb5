import { isPlainObject } from "@promptfold/contract";
import { createLocator, type Position } from "@promptfold/parser";
import {
  createMemberLocator,
  diagnoseConfig,
  flattenIdentity,
  nearestName,
  upperFirstName,
} from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";

/** Fields of a `journal.json` that have a meaning. */
const MEANINGFUL = ["identity"];

/** What a `journal.json` gives. */
export interface ReadIdentity {
  /** Undefined when nothing can be said of it. */
  readonly identity: Readonly<Record<string, unknown>> | undefined;
  /** What stands in a field that looks like a slip of `identity`: the field, by the names of the variables that it would give. */
  readonly misplaced: ReadonlyMap<string, string>;
  /** Where a field of the identity is written. */
  readonly locateField: (field: readonly string[]) => Position;
}

/** The identity in a `journal.json`; what is wrong with the file is a finding, and what is left of it is used. */
export function readIdentity(run: CheckRun, path: string | undefined): ReadIdentity {
  const misplaced = new Map<string, string>();
  const identity = path === undefined ? {} : readFields(run, path, misplaced);
  const text = path === undefined ? "" : (run.readText(path) ?? "");
  const locateField = (field: readonly string[]): Position =>
    createLocator(text)(createMemberLocator(text)(["identity", ...field]) ?? 0);
  return { identity, misplaced, locateField };
}

function readFields(
  run: CheckRun,
  path: string,
  misplaced: Map<string, string>,
): Readonly<Record<string, unknown>> | undefined {
  const text = run.readText(path);
  if (text === undefined) return undefined;
  const locate = createLocator(text);
  const report = (message: string, offset = 0): void => {
    run.report({ code: "invalid-config", severity: "error", message, file: path, ...locate(offset) });
  };
  const { config, faults } = diagnoseConfig(text);
  for (const { message, offset } of faults) report(message, offset);
  if (config === undefined) return undefined;
  const offsetOf = createMemberLocator(text);
  for (const [field, value] of Object.entries(config)) {
    const near = MEANINGFUL.includes(field) ? undefined : nearestName(field, MEANINGFUL);
    if (near === undefined) continue;
    const message = `${field} has no meaning here; did you mean ${near}?`;
    const place = locate(offsetOf([field]) ?? 0);
    run.report({ code: "unknown-metadata", severity: "warning", message, file: path, ...place });
    if (!isPlainObject(value)) continue;
    for (const name of flattenIdentity(value).variables.keys()) {
      misplaced.set(name, field).set(upperFirstName(name), field);
    }
  }
  const identity = config.identity ?? {};
  for (const { message, field = [] } of flattenIdentity(identity).problems)
    report(message, offsetOf(["identity", ...field]));
  return identity;
}
