import { type AgentConfig, isCompaction, type Message } from "@promptfold/contract";
import { agentConfig, type AgentState } from "@promptfold/fold";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { findMapping } from "./find-mapping.ts";
import type { MappedRequest, Mapping, MappingInput } from "./mapping.ts";
import type { MappingBodies, MappingName } from "./mapping-bodies.ts";
import { protocolLabels, protocolText } from "./protocol.ts";
import {
  type RenderMessagesOptions,
  renderWithSections,
  requestedProtocol,
  withoutSections,
} from "./render-messages.ts";

/** What decides a request besides the state. Each defaults to the open request's own words, else the configuration. */
export interface RenderRequestOptions extends RenderMessagesOptions {
  /** Mapping name, with or without a version: `openai-chat@1`. A name that is written out gives the body its type. */
  readonly mapping?: MappingName | (string & {}) | undefined;
  readonly model?: string | undefined;
  readonly parameters?: AgentConfig["parameters"] | undefined;
  /** The agent's stream. Only a hash of it leaves, to group requests for the provider's cache. */
  readonly stream?: string | undefined;
}

/** A provider request, with the messages it was made from and what a person may want to know of it. */
export interface RenderedRequest<Body = unknown> extends MappedRequest<Body> {
  /** Name and version of the mapping that made the body. */
  readonly mapping: string;
  /** The model asked for; some APIs name it in the URL and not in the body. */
  readonly model: string;
  readonly messages: readonly Message[];
}

/**
 * Renders a state into the provider's request body.
 *
 * @throws UnknownMappingError (`unknown-mapping`) and UnknownProtocolError (`unknown-protocol`) for versions that
 *   this release does not ship.
 */
export function renderRequest<Name extends MappingName>(
  state: AgentState,
  options: RenderRequestOptions & { readonly mapping: Name },
): RenderedRequest<MappingBodies[Name]>;
export function renderRequest(state: AgentState, options?: RenderRequestOptions): RenderedRequest;
export function renderRequest(state: AgentState, options: RenderRequestOptions = {}): RenderedRequest {
  const { mapping, model, parameters, cacheKey, labels } = requestSettings(state, options);
  const messages = renderWithSections(state, options);
  const mapped = mapping.map({
    messages,
    model,
    parameters,
    cacheKey,
    labels,
    compactionOffset: compactionOffset(state),
  });
  return { mapping: mapping.id, model, messages: withoutSections(messages), ...mapped };
}

/** What decides a request's body besides its messages. */
export type RequestSettings = Required<Pick<MappingInput, "model" | "parameters" | "cacheKey" | "labels">> & {
  readonly mapping: Mapping;
  readonly protocol: string;
  readonly protocolText: string;
};

/** A request's settings: what the options say, else the open request's own words, else the configuration. */
export function requestSettings(
  state: AgentState,
  options: RenderRequestOptions,
  key: string | undefined = cacheKey(options.stream),
): RequestSettings {
  const config = agentConfig(state);
  const requested = state.openRequest?.payload;
  const protocol = options.protocol ?? requestedProtocol(state);
  return {
    mapping: findMapping(options.mapping ?? requestedMapping(state)),
    protocol,
    protocolText: options.protocolText ?? protocolText(protocol),
    model: options.model ?? requested?.model ?? config.model,
    parameters: options.parameters ?? requested?.parameters ?? config.parameters,
    cacheKey: key,
    labels: protocolLabels(protocol),
  };
}

/**
 * Name and version of the mapping that the open request asks for, or else the configuration, whether this release ships
 * it or not. A name that events hold without a version means the first one, for ever: as the newest it would change
 * what old requests and running agents look like with every upgrade.
 */
export function requestedMapping(state: AgentState): string {
  const id = state.openRequest?.payload.mapping ?? agentConfig(state).mapping;
  return id.includes("@") ? id : `${id}@1`;
}

/** Offset of the newest summary that stands in the context for earlier history. */
export function compactionOffset(state: AgentState): number | undefined {
  const { items } = state;
  let newest: number | undefined;
  for (let position = 0; position < items.length; position++) {
    const item = items.at(position);
    if (item.kind === "message" && isCompaction(item.payload) && item.offset > (newest ?? 0))
      newest = item.offset;
  }
  return newest;
}

/** What groups the requests of a stream: a hash, so that the stream's name never leaves with a request. */
export function cacheKey(stream: string | undefined): string | undefined {
  return stream === undefined
    ? undefined
    : bytesToHex(sha256(utf8ToBytes(`promptfold:${stream}`))).slice(0, 32);
}
