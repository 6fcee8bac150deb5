/** One call of a model. */
export interface ModelCall {
  /** The mapping that made the body, such as `openai-chat@1`. */
  readonly mapping: string;
  /** The provider's request body. */
  readonly body: unknown;
  /** Aborts when the call is interrupted, expires or is no longer ours. */
  readonly signal: AbortSignal;
  /** Told each piece of text as it arrives, so that what an interrupt cuts off is not lost. */
  readonly onText: (text: string) => void;
}

/** Tokens as the provider counted them; cached ones are part of `inputTokens`. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningOutputTokens?: number;
}

/** A model's whole reply. */
export interface ModelReply {
  /** The model's own words, byte for byte. */
  readonly text: string;
  /** As the provider words it: `stop`, `length`, … */
  readonly finishReason?: string;
  readonly usage?: ModelUsage;
}

/** What a configuration and a request say where no model is named. */
export const UNNAMED_MODEL = "default";

/**
 * A way to call models. Throws when a call fails; the message must hold no secret, since it is recorded. A failed call is
 * tried again by the agent's policy, an UnsupportedMappingError excepted.
 */
export interface ModelAdapter {
  readonly name: string;
  /**
   * The model that it calls for an agent whose configuration names none. The request event records this name, so the body
   * is rendered for it and replay shows it. Without one the event and the body say `default`: only an adapter that sends
   * that word, or nothing of the body, may go without.
   */
  readonly defaultModel?: string | undefined;
  call(call: ModelCall): Promise<ModelReply>;
}
