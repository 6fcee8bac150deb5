import { UnknownProtocolError } from "./errors.ts";
import { protocol1, protocol1Labels } from "./protocols/protocol-1.ts";

/** A protocol version's texts. */
interface Protocol {
  readonly text: string;
  readonly labels: string;
}

/** Every released protocol, by version. A released text stays: old requests are rendered with it again. */
const protocols: ReadonlyMap<string, Protocol> = new Map([
  ["1", { text: protocol1, labels: protocol1Labels }],
]);

/**
 * The text of a protocol version: what tags, `supersedes` and stamps mean, and whom to trust.
 *
 * @throws UnknownProtocolError (`unknown-protocol`) for a version that this release does not ship.
 */
export function protocolText(version: string): string {
  return findProtocol(version).text;
}

/**
 * What a protocol version says of labelled user messages. Mappings that label send it with the protocol message.
 *
 * @throws UnknownProtocolError (`unknown-protocol`) for a version that this release does not ship.
 */
export function protocolLabels(version: string): string {
  return findProtocol(version).labels;
}

function findProtocol(version: string): Protocol {
  const protocol = protocols.get(version);
  if (protocol === undefined) throw new UnknownProtocolError(version, [...protocols.keys()]);
  return protocol;
}
