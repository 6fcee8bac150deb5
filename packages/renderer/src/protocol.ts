import { UnknownProtocolError } from "./errors.ts";
import { protocol1 } from "./protocols/protocol-1.ts";

/** Every released protocol text, by version. A released text stays: old requests are rendered with it again. */
const protocols: ReadonlyMap<string, string> = new Map([["1", protocol1]]);

/**
 * The text of a protocol version: what tags, `supersedes` and stamps mean, and whom to trust.
 *
 * @throws UnknownProtocolError (`unknown-protocol`) for a version that this release does not ship.
 */
export function protocolText(version: string): string {
  const text = protocols.get(version);
  if (text === undefined) throw new UnknownProtocolError(version, [...protocols.keys()]);
  return text;
}
