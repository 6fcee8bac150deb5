import { z } from "zod";

const wholeMs = z.int().nonnegative();

/** How failed requests are tried again; times in milliseconds. */
export const RetryPolicy = z.looseObject({
  maxAttempts: z.int().positive().default(3).catch(3),
  backoffBaseMs: wholeMs.default(10_000).catch(10_000),
  backoffMaxMs: wholeMs.default(60_000).catch(60_000),
});
export type RetryPolicy = z.infer<typeof RetryPolicy>;

/** When history is compacted: at `threshold` (0 to 1) of `contextWindow` tokens; no window, no compaction. */
export const CompactionPolicy = z.looseObject({
  contextWindow: z.int().positive().optional().catch(undefined),
  threshold: z.number().gt(0).max(1).default(0.5).catch(0.5),
});
export type CompactionPolicy = z.infer<typeof CompactionPolicy>;

const defaultRetryPolicy: RetryPolicy = { maxAttempts: 3, backoffBaseMs: 10_000, backoffMaxMs: 60_000 };
const defaultCompactionPolicy: CompactionPolicy = { threshold: 0.5 };

/**
 * An agent's configuration with every default filled in. A value that does not fit counts as absent. `model`
 * `"default"` leaves the choice to the model adapter.
 */
export const AgentConfig = z.looseObject({
  model: z.string().min(1).default("default").catch("default"),
  mapping: z.string().min(1).default("openai-chat@1").catch("openai-chat@1"),
  protocol: z
    .union([z.string().min(1), z.number().transform(String)])
    .default("1")
    .catch("1"),
  parameters: z.record(z.string(), z.unknown()).default({}).catch({}),
  interpretResponses: z.boolean().default(true).catch(true),
  llmRequestDebounceMs: wholeMs.default(250).catch(250),
  llmRequestExpiryMs: wholeMs.default(600_000).catch(600_000),
  llmRequestRetryPolicy: RetryPolicy.default(defaultRetryPolicy).catch(defaultRetryPolicy),
  maxAutonomousTurns: z.int().nonnegative().default(100).catch(100),
  compaction: CompactionPolicy.default(defaultCompactionPolicy).catch(defaultCompactionPolicy),
  scriptResultLimit: z.int().positive().default(30_000).catch(30_000),
});
export type AgentConfig = z.infer<typeof AgentConfig>;
