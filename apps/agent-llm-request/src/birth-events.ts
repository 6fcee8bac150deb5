import { AGENT_CONFIGURED, AGENT_CREATED, type EventDraft } from "@promptfold/contract";
import { type Section, sectionEvents } from "@promptfold/parser";

/** Until the debounce is lowered, a newborn agent's first request waits this long for workers to adjust its prompt. */
export const BIRTH_WINDOW_MS = 60_000;

/** What an agent is born with. */
export interface AgentBirth {
  /** The prompt's sections, in file order. */
  readonly sections: readonly Section[];
  /** Request parameters, such as `requestParameters` of `@promptfold/templating` reads from a prompt file's metadata. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Names the prompt in idempotency keys: the same prompt under the same name is born once. */
  readonly promptName: string;
  /** Configuration over the birth's own: model, mapping, … */
  readonly config?: Readonly<Record<string, unknown>>;
}

/**
 * The events of an agent's birth, to be appended in one atomic call: its creation, its configuration with the birth
 * window, and one keyed event per section.
 *
 * @throws DuplicateSectionKeyError when a key occurs twice.
 */
export function birthEvents({
  sections,
  parameters = {},
  promptName,
  config = {},
}: AgentBirth): EventDraft[] {
  return [
    { type: AGENT_CREATED, payload: {}, idempotencyKey: "birth/created" },
    {
      type: AGENT_CONFIGURED,
      payload: {
        config: {
          mapping: "openai-chat@1",
          protocol: "1",
          parameters,
          ...config,
          llmRequestDebounceMs: BIRTH_WINDOW_MS,
        },
      },
      idempotencyKey: "birth/configured",
    },
    ...sectionEvents(sections, { base: `birth/${promptName}` }),
  ];
}
