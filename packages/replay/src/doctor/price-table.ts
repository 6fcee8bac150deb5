/** What a model's input costs, in any one currency, for a million tokens. */
export interface InputPrice {
  readonly input: number;
  readonly cachedInput: number;
  /** What writing to the cache costs, where that is billed apart; `input` otherwise. */
  readonly cacheWrite?: number | undefined;
}

/** Prices by model name, or by the beginning of one: the longest that fits decides. */
export type PriceTable = Readonly<Record<string, InputPrice>>;

/** The price of a model, or undefined when no entry of the table fits its name or its name behind a provider's prefix. */
export function findPrice(prices: PriceTable | undefined, model: string): InputPrice | undefined {
  const names = [model, model.slice(model.lastIndexOf("/") + 1)];
  const fitting = Object.entries(prices ?? {}).filter(([name]) =>
    names.some((each) => each.startsWith(name)),
  );
  return fitting.sort(([a], [b]) => b.length - a.length)[0]?.[1];
}

/** What tokens cost that could have been read from the cache and were sent anew. */
export function moneyLost(tokens: number, price: InputPrice): number {
  return (tokens * ((price.cacheWrite ?? price.input) - price.cachedInput)) / 1e6;
}
