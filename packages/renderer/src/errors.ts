import { PromptfoldError } from "@promptfold/contract";

/** A request or a configuration names a protocol version that this release does not ship. */
export class UnknownProtocolError extends PromptfoldError {
  static override readonly code: string = "unknown-protocol";

  constructor(version: string, known: readonly string[]) {
    super(
      `unknown protocol "${version}"; this release ships ${known.join(", ")}: configure one of them, or upgrade`,
    );
  }
}

/** A request or a configuration names a provider mapping that this release does not ship. */
export class UnknownMappingError extends PromptfoldError {
  static override readonly code: string = "unknown-mapping";

  constructor(mapping: string, known: readonly string[]) {
    super(
      `unknown mapping "${mapping}"; this release ships ${known.join(", ")}: configure one of them, or upgrade`,
    );
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
