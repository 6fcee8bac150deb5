import { once } from "node:events";

/** Writes data to standard output and waits while the reader is slower. */
export async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/** Writes data as JSON: readable by a person, stable for a program. */
export async function writeJson(value: unknown): Promise<void> {
  await writeOut(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** Says something to the person at the terminal, beside the data. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * Lets the command end quietly when a reader such as `head` stops reading: what it wanted, it has. Other failures of
 * the outputs end the command as well, since nobody could be told.
 */
export function endWhenNobodyReads(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : 1);
  });
  process.stderr.on("error", () => undefined);
}
