import type { AgentState } from "@promptfold/fold";
import {
  renderRequest,
  type RenderedRequest,
  type RenderRequestOptions,
  utf8Length,
} from "@promptfold/renderer";
import { moneyLost, priceOf, type PriceTable } from "./doctor/cache/price-table.ts";
import { serveFromCache } from "./serve-from-cache.ts";

/** What a comparison of two renders needs from its caller. */
export interface CounterfactualOptions {
  /** The stream that the request is of, for providers that group by it. */
  readonly stream?: string | undefined;
  /** Counts the tokens of a text. */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** What input costs, by model. */
  readonly prices?: PriceTable | undefined;
  /** From how many tokens on a prefix is cached, in place of what the model's provider asks for. */
  readonly minimumTokens?: number | undefined;
}

/**
 * What a request costs as input, by the rules that the doctor has for its provider and model: what they cache, and from how
 * many tokens on. The two differ by `moneyLost` of the tokens that the provider caches, and by nothing where it caches none.
 */
export interface RequestCost {
  /** Sent for the first time: what the provider caches costs `cacheWrite` where the table has one, the rest `input`. */
  readonly uncached: number;
  /** Sent once more at once: what the provider cached costs `cachedInput`, the rest `input`. */
  readonly cached: number;
}

/** What a request weighs. */
export interface RequestSize {
  /** UTF-8 bytes of the JSON body. */
  readonly bytes: number;
  /** Tokens of what the model reads; undefined without a tokenizer. */
  readonly tokens: number | undefined;
  /** What those tokens cost; undefined without a tokenizer, and without a price for the model. */
  readonly cost: RequestCost | undefined;
}

/** A request as it was, and as it would have been. */
export interface Counterfactual {
  readonly original: RenderedRequest;
  readonly changed: RenderedRequest;
  readonly originalSize: RequestSize;
  readonly changedSize: RequestSize;
  /** `changedSize` less `originalSize`; a part is undefined where one of the two is. */
  readonly difference: RequestSize;
}

/**
 * Renders a replayed state under another mapping, model, protocol, protocol text or other parameters, beside the
 * request's own. No model is called and no event is read again. Tokens need `countTokens`; costs need `prices`, too.
 *
 * @throws UnknownMappingError (`unknown-mapping`) and UnknownProtocolError (`unknown-protocol`).
 */
export function renderCounterfactual(
  state: AgentState,
  changes: Pick<RenderRequestOptions, "mapping" | "model" | "protocol" | "protocolText" | "parameters">,
  options: CounterfactualOptions = {},
): Counterfactual {
  const { stream } = options;
  const original = renderRequest(state, { stream });
  const changed = renderRequest(state, { ...changes, stream });
  const originalSize = measure(original, options);
  const changedSize = measure(changed, options);
  return { original, changed, originalSize, changedSize, difference: subtract(changedSize, originalSize) };
}

function measure(request: RenderedRequest, options: CounterfactualOptions): RequestSize {
  const bytes = utf8Length(JSON.stringify(request.body));
  if (options.countTokens === undefined) return { bytes, tokens: undefined, cost: undefined };
  // What the cache gives of a request that was just sent is all that it keeps of it.
  const { after, served } = serveFromCache(request, request, options);
  const price = priceOf(after, options.prices);
  if (price === undefined) return { bytes, tokens: after.tokens, cost: undefined };
  const rest = ((after.tokens - served.tokens) * price.input) / 1e6;
  const cached = rest + (served.tokens * price.cachedInput) / 1e6;
  return {
    bytes,
    tokens: after.tokens,
    cost: { uncached: cached + moneyLost(served.tokens, price), cached },
  };
}

function subtract(a: RequestSize, b: RequestSize): RequestSize {
  return {
    bytes: a.bytes - b.bytes,
    tokens: a.tokens === undefined || b.tokens === undefined ? undefined : a.tokens - b.tokens,
    cost:
      a.cost === undefined || b.cost === undefined
        ? undefined
        : { uncached: a.cost.uncached - b.cost.uncached, cached: a.cost.cached - b.cost.cached },
  };
}
