import { type CommittedEvent, type Journal, openJournal } from "@promptfold/journal";
import {
  type AgentProblem,
  birthEvents,
  type CacheListener,
  type ModelAdapter,
  type ModelCall,
  type ModelReply,
  runAgents,
  type ScriptRunner,
} from "../src/index.ts";
import { ManualScheduler } from "./manual-scheduler.ts";

export const stream = "/agents/test/one";

/** A memory journal on a manual scheduler, with the runtime started and stopped as a test wishes. */
export class AgentHarness {
  readonly scheduler: ManualScheduler;
  readonly journal: Journal;
  /** Errors that the runtime told of. */
  readonly problems: unknown[] = [];
  /** Of each problem, whether what it stopped is tried again. */
  readonly retried: boolean[] = [];
  /** Given to each runtime that is started from then on. */
  onCacheReport: CacheListener | undefined;
  readonly #running = new Map<AbortController, Promise<void>>();

  private constructor(journal: Journal, scheduler: ManualScheduler) {
    this.journal = journal;
    this.scheduler = scheduler;
  }

  static async open(): Promise<AgentHarness> {
    const scheduler = new ManualScheduler();
    return new AgentHarness(await openJournal("memory:", { clock: scheduler.now }), scheduler);
  }

  /** Starts a runtime; the function returned stops it and waits until it has ended. */
  start(
    model: ModelAdapter,
    runScript: ScriptRunner = neverRun,
    journal: Journal = this.journal,
  ): () => Promise<void> {
    const stop = new AbortController();
    const { scheduler, onCacheReport } = this;
    const onProblem = ({ error, isRetried }: AgentProblem): void => {
      this.problems.push(error);
      this.retried.push(isRetried);
    };
    const { signal } = stop;
    const ended = runAgents({ journal, model, runScript, scheduler, onProblem, onCacheReport, signal });
    this.#running.set(stop, ended);
    return async () => {
      stop.abort();
      this.#running.delete(stop);
      await ended;
    };
  }

  /** Appends an agent's birth, with a debounce of 250 ms unless `config` says otherwise. */
  async create(config: Record<string, unknown> = {}): Promise<void> {
    const inside = this.journal.as({ processor: "test", trust: "inside" });
    const sections = [
      { key: "identity", content: "You test." },
      { key: "output-formatting", content: "Use ts." },
    ];
    await inside.append(stream, birthEvents({ promptName: "test", sections }));
    await inside.append(stream, [
      { type: "agent/configured", payload: { config: { llmRequestDebounceMs: 250, ...config } } },
    ]);
  }

  async say(content: string, rest: object = {}): Promise<void> {
    const outside = this.journal.as({ processor: "test", trust: "outside" });
    await outside.append(stream, [
      { type: "agents/context-added", payload: { role: "user", content, ...rest } },
    ]);
  }

  /** Waits for the nth event that fits, counted from the stream's start. */
  async seen(fits: (event: CommittedEvent) => boolean, count = 1): Promise<CommittedEvent> {
    let left = count;
    for await (const event of this.journal.subscribe({ stream }))
      if (fits(event) && --left === 0) return event;
    throw new Error("the journal closed before the event came");
  }

  async events(): Promise<CommittedEvent[]> {
    const events: CommittedEvent[] = [];
    for await (const page of this.journal.read(stream)) events.push(...page);
    return events;
  }

  async close(): Promise<void> {
    for (const stop of this.#running.keys()) stop.abort();
    await Promise.allSettled(this.#running.values());
    await this.journal.close();
  }
}

/** A model under a test's control: each call waits until the test replies to it. */
export class ControlledModel implements ModelAdapter {
  readonly name = "controlled";
  readonly defaultModel: string | undefined;
  readonly calls: (ModelCall & { reply: (reply: ModelReply | Error) => void })[] = [];
  readonly #waiting: (() => void)[] = [];

  /** `defaultModel` is the model that it calls for an agent that names none. */
  constructor(defaultModel?: string) {
    this.defaultModel = defaultModel;
  }

  call(call: ModelCall): Promise<ModelReply> {
    return new Promise((resolve, reject) => {
      const reply = (answer: ModelReply | Error): void => {
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
      this.calls.push({ ...call, reply });
      this.#waiting.splice(0).forEach((wake) => {
        wake();
      });
    });
  }

  /** Waits for the nth call. */
  async called(count: number): Promise<ModelCall & { reply: (reply: ModelReply | Error) => void }> {
    for (;;) {
      const call = this.calls[count - 1];
      if (call !== undefined) return call;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

/** Lets whatever has become possible happen, before a test looks that it did not. */
export async function eventLoopTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export function ofType(type: string): (event: CommittedEvent) => boolean {
  return (event) => event.type === type;
}

/** Whether an event is a summary that the runtime made of history. */
export function isSummary({ idempotencyKey }: CommittedEvent): boolean {
  return idempotencyKey?.startsWith("compact/") === true;
}

/** A reply whose request and text have so many tokens together. */
export function replyOf(text: string, tokens: number): ModelReply {
  return { text, usage: { inputTokens: tokens - 10, outputTokens: 10 } };
}

/** What an event says, without what depends on time. */
export function outline({ type, idempotencyKey, payload, source }: CommittedEvent): unknown[] {
  const { role, content, result, settlement } = payload as Record<string, unknown>;
  const said = content ?? result ?? settlement;
  return [
    type,
    idempotencyKey,
    source?.processor,
    ...(role === undefined ? [] : [role]),
    ...(said === undefined ? [] : [said]),
  ];
}

const neverRun: ScriptRunner = () => Promise.reject(new Error("no script was expected"));
