/** The bytes of a Chat Completions body's `messages`. */
export function messagesBytes(body: unknown): Buffer {
  const { messages } = body as { readonly messages?: unknown };
  return Buffer.from(JSON.stringify(messages ?? []), "utf8");
}

/** Whether one `messages` list, its closing bracket left off, begins another, byte for byte. */
export function isBytePrefix(earlier: Buffer, later: Buffer): boolean {
  const opened = earlier.subarray(0, -1);
  return later.length > earlier.length && later.subarray(0, opened.length).equals(opened);
}
