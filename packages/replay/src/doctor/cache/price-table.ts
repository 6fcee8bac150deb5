import { isPlainObject, PromptfoldError } from "@promptfold/contract";
import type { CountedBody } from "./counted-body.ts";

/** What a model's input costs, in any one currency, for a million tokens. */
export interface InputPrice {
  readonly input: number;
  /** What a token costs that is read from the cache; never more than `input`. */
  readonly cachedInput: number;
  /** What writing to the cache costs, where that is billed apart; `input` otherwise. */
  readonly cacheWrite?: number | undefined;
}

/** Prices by model name. A name stands for the model of that name and for its dated snapshots, for no other model. */
export type PriceTable = Readonly<Record<string, InputPrice>>;

/** A price table cannot be right: an amount is missing or negative, or a cached token costs more than a new one. */
export class InvalidPriceTableError extends PromptfoldError {
  static override readonly code: string = "invalid-price-table";

  constructor(fault: string) {
    super(
      `${fault}; a price table is {"gpt-5": {"input": 1.25, "cachedInput": 0.125}}, for a million tokens, ` +
        "with `cacheWrite` beside them where writing to the cache is billed apart",
    );
  }
}

/**
 * A price table from what a file or a caller says.
 *
 * @throws InvalidPriceTableError (`invalid-price-table`) for amounts that are missing, negative or no numbers, and for a
 * cached token that would cost more than a new one, which would make a loss a gain
 */
export function parsePriceTable(value: unknown): PriceTable {
  if (!isPlainObject(value)) throw new InvalidPriceTableError("it is no JSON object");
  for (const [model, price] of Object.entries(value)) {
    const fault = isPlainObject(price) ? priceFault(price) : "is no JSON object";
    if (fault !== undefined) throw new InvalidPriceTableError(`the price of ${model} ${fault}`);
  }
  return value as PriceTable;
}

/**
 * The price of a model: of the entry with its name, or with its name less the date of a snapshot (`gpt-5-2025-08-07`,
 * `claude-sonnet-4-5-20250929`, `-latest`), each also behind a provider's prefix (`openai/`, `us.anthropic.`). Undefined
 * when there is none: another model that merely begins alike (`gpt-5-mini`) has another price.
 */
export function findPrice(prices: PriceTable | undefined, model: string): InputPrice | undefined {
  if (prices === undefined) return undefined;
  for (const name of [model, ...namesBehindPrefix(model)]) {
    for (const each of [name, withoutSnapshot(name)]) if (Object.hasOwn(prices, each)) return prices[each];
  }
  return undefined;
}

/** What tokens cost that could have been read from the cache and were sent anew. */
export function moneyLost(tokens: number, price: InputPrice): number {
  return (tokens * ((price.cacheWrite ?? price.input) - price.cachedInput)) / 1e6;
}

/**
 * The price of the model that a body names. Where an API writes at marks alone and the body has none, nothing is written
 * for it, and so no `cacheWrite` is billed.
 */
export function priceOf(
  { content, written }: CountedBody,
  prices: PriceTable | undefined,
): InputPrice | undefined {
  const price = content.model === undefined ? undefined : findPrice(prices, content.model);
  if (price === undefined || written?.length !== 0) return price;
  return { input: price.input, cachedInput: price.cachedInput };
}

function priceFault(price: Readonly<Record<string, unknown>>): string | undefined {
  const { input, cachedInput, cacheWrite } = price;
  if (!isAmount(input) || !isAmount(cachedInput) || (cacheWrite !== undefined && !isAmount(cacheWrite)))
    return "is incomplete: `input` and `cachedInput` are amounts of 0 or more, and so is `cacheWrite` where it stands";
  if (cachedInput > input) return "has a `cachedInput` above its `input`: are the two exchanged?";
  if (cacheWrite !== undefined && cachedInput > cacheWrite)
    return "has a `cachedInput` above its `cacheWrite`: are the two exchanged?";
  return undefined;
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** A name less a provider's prefix: `models/gemini-3-pro`, `us.anthropic.claude-…`. */
function namesBehindPrefix(model: string): string[] {
  const name = model.slice(model.lastIndexOf("/") + 1);
  return [name, name.replace(/^(?:[a-z-]{2,8}\.)?(?:anthropic|openai|google|meta|mistral|amazon)\./, "")];
}

/** A name less the date of a snapshot, and what a cloud puts behind that: `@20250929`, `-20250929-v1:0`, `-v1:0`. */
function withoutSnapshot(name: string): string {
  const model = name.replace(/-v\d+:\d+$/, "");
  return model.replace(/[-@](?:\d{4}-\d{2}-\d{2}|20\d{6}|latest|default)(?:-v\d+)?$/, "");
}
