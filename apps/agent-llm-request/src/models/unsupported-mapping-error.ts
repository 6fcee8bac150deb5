import { PromptfoldError } from "@promptfold/contract";

/**
 * An adapter refused a body before any call, since the mapping that made it is one of another API. The turn loop does not
 * try that again: only another configuration or another adapter helps.
 */
export class UnsupportedMappingError extends PromptfoldError {
  static override readonly code: string = "unsupported-mapping";
  readonly mapping: string;
  /** The mappings whose bodies the adapter sends, newest last. */
  readonly supported: readonly string[];

  /** `adapter` is the name of the one that refuses. */
  constructor(mapping: string, { adapter, supported }: { adapter: string; supported: readonly string[] }) {
    const remedy = `{"type":"agent/configured","payload":{"config":{"mapping":"${supported[0] ?? ""}"}}}`;
    super(
      `no call was made: mapping ${mapping} makes no body that ${adapter} takes; ${supported.join(", ")} do. ` +
        `Configure one of them (${remedy}) and send the agent a message, or run it with an adapter for ${mapping}`,
    );
    this.mapping = mapping;
    this.supported = supported;
  }
}
