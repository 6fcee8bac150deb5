import { PromptfoldError } from "@promptfold/contract";

/** A request or a configuration names a protocol version that this release does not ship. */
export class UnknownProtocolError extends PromptfoldError {
  static override readonly code: string = "unknown-protocol";
  /** The version that was asked for, and those that there are. */
  readonly version: string;
  readonly known: readonly string[];

  constructor(version: string, known: readonly string[]) {
    super(
      `unknown protocol "${version}"; this release ships ${known.join(", ")}: name one of them, or upgrade`,
    );
    this.version = version;
    this.known = known;
  }
}

/** A request or a configuration names a provider mapping that this release does not ship. */
export class UnknownMappingError extends PromptfoldError {
  static override readonly code: string = "unknown-mapping";
  /** The mapping that was asked for, and those that there are. */
  readonly mapping: string;
  readonly known: readonly string[];

  constructor(mapping: string, known: readonly string[]) {
    super(
      `unknown mapping "${mapping}"; this release ships ${known.join(", ")}: name one of them, or upgrade`,
    );
    this.mapping = mapping;
    this.known = known;
  }
}

/** A provider body that is no body of any API that can be read. */
export class UnreadableBodyError extends PromptfoldError {
  static override readonly code: string = "unreadable-body";

  constructor(reason: string, options?: { cause?: unknown }) {
    super(
      `not a provider body: ${reason}; pass the JSON body of an OpenAI, Anthropic, Gemini or AI SDK request`,
      options,
    );
  }
}
