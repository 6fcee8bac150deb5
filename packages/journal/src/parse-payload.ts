import { JournalStorageError } from "./errors.ts";

/** A stored payload's value. Text that is no longer JSON was damaged outside the journal: `storage-corrupt`. */
export function parsePayload(payloadText: string, stream: string, offset: number): unknown {
  try {
    // A column may hold bytes where somebody else wrote to it.
    if (typeof (payloadText as unknown) !== "string") throw new TypeError("it is not text");
    return JSON.parse(payloadText);
  } catch (cause) {
    throw new JournalStorageError(
      "corrupt",
      `${stream}@${offset}: the stored payload is not JSON; restore a backup or an export of the journal`,
      { cause },
    );
  }
}
