import { randomBytes } from "node:crypto";

/** A name for a new stream that sorts by time, with a few random digits so that two in one second stay apart. */
export function newAgentStream(folder: string): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `/agents/${folder}/${time}-${randomBytes(2).toString("hex")}`;
}
