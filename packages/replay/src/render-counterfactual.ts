import type { AgentState } from "@promptfold/fold";
import {
  renderRequest,
  type RenderedRequest,
  type RenderRequestOptions,
  utf8Length,
} from "@promptfold/renderer";
import { findPrice, type PriceTable } from "./doctor/cache/price-table.ts";

/** What a comparison of two renders needs from its caller. */
export interface CounterfactualOptions {
  /** The stream that the request is of, for providers that group by it. */
  readonly stream?: string | undefined;
  /** Counts the tokens of a text. */
  readonly countTokens?: ((text: string) => number) | undefined;
  /** What input costs, by model. */
  readonly prices?: PriceTable | undefined;
}

/** What a request weighs. */
export interface RequestSize {
  /** UTF-8 bytes of the JSON body. */
  readonly bytes: number;
  /** Tokens of what the model reads; undefined without a tokenizer. */
  readonly tokens: number | undefined;
  /** What those tokens cost when none of them, and when all of them, come from the cache; undefined without a price. */
  readonly cost: { readonly uncached: number; readonly cached: number } | undefined;
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
 * Renders a replayed state under another mapping, model, protocol or protocol text, beside the request's own. No
 * model is called and no event is read again.
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

function measure(
  { body, blocks, model }: RenderedRequest,
  { countTokens, prices }: CounterfactualOptions,
): RequestSize {
  const tokens = countTokens && blocks.reduce((sum, { text }) => sum + countTokens(text), 0);
  const price = findPrice(prices, model);
  return {
    bytes: utf8Length(JSON.stringify(body)),
    tokens,
    cost:
      tokens === undefined || price === undefined
        ? undefined
        : { uncached: (tokens * price.input) / 1e6, cached: (tokens * price.cachedInput) / 1e6 },
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
