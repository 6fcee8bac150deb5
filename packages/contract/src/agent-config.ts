import { z } from "zod";

const wholeMs = z.int().nonnegative();

/** How many characters (UTF-16 code units) of a script's result a message shows, where no configuration says otherwise. */
export const DEFAULT_SCRIPT_RESULT_LIMIT = 30_000;

/** How failed requests are tried again; times in milliseconds. */
export const RetryPolicy = z.looseObject({
  maxAttempts: withDefault(z.int().positive(), 3),
  backoffBaseMs: withDefault(wholeMs, 10_000),
  backoffMaxMs: withDefault(wholeMs, 60_000),
});
export type RetryPolicy = z.infer<typeof RetryPolicy>;

/**
 * When history is compacted: once the newest request and its reply have `threshold` (0 to 1) of `contextWindow` tokens;
 * no window, no compaction.
 */
export const CompactionPolicy = z.looseObject({
  contextWindow: z.int().positive().optional().catch(undefined),
  threshold: withDefault(z.number().gt(0).max(1), 0.5),
});
export type CompactionPolicy = z.infer<typeof CompactionPolicy>;

/**
 * An agent's configuration with every default filled in. A value that does not fit counts as absent. `model`
 * `"default"` leaves the choice to the model adapter.
 */
export const AgentConfig = z.looseObject({
  model: withDefault(z.string().min(1), "default"),
  mapping: withDefault(z.string().min(1), "openai-chat@1"),
  protocol: withDefault(z.union([z.string().min(1), z.number().transform(String)]), "1"),
  parameters: withDefault(z.record(z.string(), z.unknown()), {}),
  interpretResponses: withDefault(z.boolean(), true),
  llmRequestDebounceMs: withDefault(wholeMs, 250),
  llmRequestExpiryMs: withDefault(wholeMs, 600_000),
  llmRequestRetryPolicy: withDefault(RetryPolicy, RetryPolicy.parse({})),
  maxAutonomousTurns: withDefault(z.int().nonnegative(), 100),
  compaction: withDefault(CompactionPolicy, CompactionPolicy.parse({})),
  scriptResultLimit: withDefault(z.int().positive(), DEFAULT_SCRIPT_RESULT_LIMIT),
});
export type AgentConfig = z.infer<typeof AgentConfig>;

/** The value stands where none is given, and where one is given that does not fit. */
function withDefault<Schema extends z.ZodType>(
  schema: Schema,
  value: z.util.NoUndefined<z.output<Schema>>,
): z.ZodCatch<z.ZodDefault<Schema>> {
  return schema.default(value).catch(value);
}
