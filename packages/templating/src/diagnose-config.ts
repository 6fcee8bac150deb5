import { explainConfig } from "./explain-metadata.ts";
import { explainInexact, findInexactJson } from "./inexact-number.ts";
import { JournalConfig } from "./metadata-schema.ts";
import {
  createMemberLocator,
  duplicateMembers,
  explainDuplicate,
  explainJsonFault,
  readJson,
} from "./read-json.ts";

/** A fault in the text of a `journal.json`, at an offset from 0. */
export interface ConfigFault {
  readonly offset: number;
  /** What is wrong and what to do. */
  readonly message: string;
  readonly cause?: unknown;
}

/** What a `journal.json` says, and what is wrong with it. */
export interface ConfigDiagnosis {
  /** As it was written; undefined when nothing can be said of it. */
  readonly config: JournalConfig | undefined;
  readonly faults: readonly ConfigFault[];
}

/** Reads the text of a `journal.json`: JSON of its shape, in which no name occurs twice and no number is read as another. */
export function diagnoseConfig(text: string): ConfigDiagnosis {
  const reading = readJson(text);
  if (reading.kind === "fault") {
    const { fault, cause } = reading;
    return { config: undefined, faults: [{ offset: fault.offset, message: explainJsonFault(fault), cause }] };
  }
  const faults: ConfigFault[] = duplicateMembers(text).map(({ name, offset }) => ({
    offset,
    message: explainDuplicate(name),
  }));
  if (!JournalConfig.safeParse(reading.data).success) {
    const offset = createMemberLocator(text)(["identity"]) ?? 0;
    faults.push({ offset, message: explainConfig(reading.data) });
    return { config: undefined, faults };
  }
  const inexact = findInexactJson(text);
  if (inexact !== undefined) faults.push({ offset: inexact.offset, message: explainInexact(inexact) });
  // As it was written: what the schema gives lacks names that it passes over.
  return { config: reading.data as JournalConfig, faults };
}
