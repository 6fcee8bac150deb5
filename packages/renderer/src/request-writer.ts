import type { KnownEvent, OpenRequest } from "@promptfold/contract";
import { type AgentState, foldEvent, initialState } from "@promptfold/fold";
import { historyChange } from "./history-change.ts";
import {
  cacheKey,
  type RenderRequestOptions,
  requestSettings,
  type RequestSettings,
} from "./render-request.ts";
import { type WrittenRequest, WrittenTimeline } from "./written-timeline.ts";

/** How a writer begins, and what it writes instead of what the requests themselves ask for. */
export interface RequestWriterOptions extends RenderRequestOptions {
  /** The state to continue from; a fresh agent by default. */
  readonly from?: AgentState | undefined;
}

/**
 * Writes the requests of one agent as bytes that grow. What was sent stays as it was written: the next request costs
 * what is new in it, and where cache marks move on, the turns that they move over. The bytes are those of
 * `JSON.stringify(renderRequest(state, options).body)`, always.
 */
export class RequestWriter {
  readonly #options: RenderRequestOptions;
  readonly #cacheKey: string | undefined;
  #state: AgentState;
  /** How many items the newest request opened here had; 0 after a change of history, until the next one opens. */
  #sentItems = 0;
  #written: WrittenTimeline | undefined;
  #known: KnownSettings | undefined;

  constructor({ from = initialState, ...options }: RequestWriterOptions = {}) {
    this.#state = from;
    this.#options = options;
    this.#cacheKey = cacheKey(options.stream);
  }

  /** The agent's state after the events so far. */
  get state(): AgentState {
    return this.#state;
  }

  /** Folds one event into the state; gives the state after it. */
  add(event: KnownEvent): AgentState {
    const before = this.#state;
    const after = foldEvent(before, event);
    this.#state = after;
    if (after === before) return after;
    if (historyChange(event) !== undefined) {
      this.#sentItems = 0;
      this.#written = undefined;
    } else if (after.openRequest !== null && before.openRequest === null)
      this.#sentItems = after.items.length;
    return after;
  }

  /**
   * Writes the request as the state has it.
   *
   * @throws UnknownMappingError (`unknown-mapping`) and UnknownProtocolError (`unknown-protocol`).
   */
  write(): WrittenRequest {
    const settings = this.#settings();
    if (this.#written?.fits(settings) !== true) {
      this.#written = new WrittenTimeline(this.#state, settings);
    }
    return this.#written.write(this.#state, settings, this.#sentItems);
  }

  /** The same object as long as nothing asks for anything else. */
  #settings(): RequestSettings {
    const { config, openRequest } = this.#state;
    const asked = openRequest?.payload;
    const known = this.#known;
    if (known?.config === config && asksTheSame(known.asked, asked)) return known.settings;
    const settings = requestSettings(this.#state, this.#options, this.#cacheKey);
    this.#known = { config, asked, settings };
    return settings;
  }
}

type Asked = OpenRequest["payload"] | undefined;

/** Settings, with what they were read from. */
interface KnownSettings {
  readonly config: AgentState["config"];
  readonly asked: Asked;
  readonly settings: RequestSettings;
}

function asksTheSame(a: Asked, b: Asked): boolean {
  if (a?.model !== b?.model || a?.mapping !== b?.mapping || a?.protocol !== b?.protocol) return false;
  const [before, after] = [a?.parameters, b?.parameters];
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}
