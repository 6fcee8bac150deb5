import { randomBytes } from "node:crypto";
import { DEFAULT_AGENTS_PREFIX } from "@promptfold/agent-llm-request";

/** A name for a new agent, which sorts by time, with a few random digits so that two of one second stay apart. */
export function newAgentStream(folder: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `${DEFAULT_AGENTS_PREFIX}${folder}/${time}-${randomBytes(2).toString("hex")}`;
}
