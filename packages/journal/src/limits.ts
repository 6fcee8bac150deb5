/** What a journal accepts, on every store. Beyond these `append` fails before anything is written. */
export const limits = {
  /** Bytes of one payload's JSON text, as UTF-8: 16 MiB. */
  payloadBytes: 16_777_216,
  /** Bytes of all payloads of one batch: 64 MiB. */
  batchBytes: 67_108_864,
  /** Events in one batch. */
  batchEvents: 10_000,
  /** Levels of arrays and objects in one payload. */
  payloadDepth: 1_000,
  /** Bytes of a stream's name. */
  streamBytes: 512,
  /** Bytes of an event type, a processor's name, or a version. */
  nameBytes: 256,
  /** Bytes of an idempotency key: what PostgreSQL can index, with room to spare. */
  idempotencyKeyBytes: 2_048,
  /** The greatest offset that `restore` takes: 2^52, after which there is room for as many appends again. */
  restoredOffset: 4_503_599_627_370_496,
} as const;
