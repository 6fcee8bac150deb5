import { type ReadBody, readBody } from "@promptfold/renderer";
import { BodyContent } from "./doctor/bodies/body-content.ts";
import { BodyCounter, type CountedBody, type CountOptions } from "./doctor/cache/counted-body.ts";
import { ProviderCache, type Served } from "./doctor/cache/provider-cache.ts";
import type { SentRequest } from "./find-cache-loss.ts";

/** Two requests, counted, and what the provider's cache gives of the later one. */
export interface ServedRequest {
  readonly before: CountedBody;
  readonly after: CountedBody;
  readonly served: Served;
}

/** Sends one request after another to a cache by the rules that the doctor has, as if none expired. */
export function serveFromCache(
  earlier: SentRequest,
  later: SentRequest,
  options: CountOptions,
): ServedRequest {
  const counter = new BodyCounter(options);
  const count = (request: SentRequest, number: number): CountedBody =>
    counter.count(new BodyContent(withModel(request), number));
  const [before, after] = [count(earlier, 0), count(later, 1)];
  const cache = new ProviderCache();
  cache.send(before, 0);
  return { before, after, served: cache.send(after, 1) };
}

/** A request's body with the model in its settings: some APIs name it in the URL alone. */
function withModel({ body, model }: SentRequest): ReadBody {
  const read = readBody(body);
  return { ...read, settings: new Map([...read.settings, ["model", JSON.stringify(model)]]) };
}
