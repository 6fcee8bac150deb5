import type { Journal } from "@promptfold/journal";
import { onInterrupt } from "../terminal/on-interrupt.ts";
import { tellEvent } from "../terminal/tell-event.ts";
import { untilAborted } from "../terminal/until-aborted.ts";
import { say } from "../terminal/write-out.ts";
import { WaitNotes } from "./wait-notes.ts";
import { startWorkers, type WorkersOptions } from "./start-workers.ts";

/** What to serve, and where to begin to tell of it. */
export interface ServeOptions extends Omit<WorkersOptions, "journal"> {
  /** The processor whose saved cursor says where events are new. */
  readonly processor: string;
  /** Say nothing of events. */
  readonly quiet: boolean;
}

/** Lets workers follow a journal until the process is asked to end, and tells of the events that arrive meanwhile. */
export async function serveWorkers(
  journal: Journal,
  { processor, quiet, ...options }: ServeOptions,
): Promise<void> {
  const { prefix } = options;
  const end = new AbortController();
  const stopListening = onInterrupt(() => {
    end.abort();
  });
  const startedAt = Date.now();
  const after = await journal.checkpoints.load(processor, { prefix });
  const workers = startWorkers({ journal, ...options });
  say("Ctrl-C ends it; work in progress is left to the next process.\n");
  const telling = quiet
    ? untilAborted(end.signal)
    : tellEvents(journal, {
        prefix,
        after,
        startedAt,
        signal: end.signal,
        // Who opens no requests has nothing to say of their waits.
        waits: options.model === undefined ? undefined : new WaitNotes({ journal, signal: end.signal, say }),
      });
  try {
    await Promise.race([telling, workers.ended.then(() => telling)]);
  } finally {
    end.abort();
    stopListening();
    await workers.stop();
    await telling;
  }
}

async function tellEvents(
  journal: Journal,
  options: {
    readonly prefix: string;
    readonly after: number;
    readonly startedAt: number;
    readonly signal: AbortSignal;
    readonly waits: WaitNotes | undefined;
  },
): Promise<void> {
  const { prefix, after, startedAt, signal, waits } = options;
  for await (const event of journal.subscribe({ prefix }, { after, signal })) {
    if (Date.parse(event.createdAt) >= startedAt) tellEvent(event, { withStream: true });
    waits?.observe(event);
  }
}
