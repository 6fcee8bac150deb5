import type { ModelAdapter } from "@promptfold/agent-llm-request";

/** A model that notes what it was sent. */
export interface RecordedModel {
  readonly adapter: ModelAdapter;
  /** The bodies of its calls as JSON, in order. */
  readonly bodies: readonly string[];
}

/** Wraps a model so that what it was really sent can be compared with what replay rebuilds. */
export function recordBodies(model: ModelAdapter): RecordedModel {
  const bodies: string[] = [];
  const adapter: ModelAdapter = {
    ...model,
    call(call) {
      bodies.push(JSON.stringify(call.body));
      return model.call(call);
    },
  };
  return { adapter, bodies };
}
