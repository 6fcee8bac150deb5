import { UNNAMED_MODEL } from "@promptfold/agent-llm-request";
import { CONTEXT_ADDED } from "@promptfold/contract";
import type { Journal } from "@promptfold/journal";
import { appendDefaultBirth } from "../agents/append-default-birth.ts";
import { chooseModel, type ChosenModel } from "../agents/choose-model.ts";
import { newAgentStream } from "../agents/new-agent-stream.ts";
import { startWorkers, type Workers } from "../agents/start-workers.ts";
import { InputError, UsageError } from "../errors.ts";
import { MEMORY_JOURNAL, openOrCreateJournal, shownUrl } from "../input/journal-input.ts";
import { onInterrupt } from "../terminal/on-interrupt.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { say, writeOut } from "../terminal/write-out.ts";
import { followTurn } from "./follow-turn.ts";
import { type RecordedModel, recordBodies } from "./record-bodies.ts";
import { reportDemo } from "./report-demo.ts";

/** What the demonstration is run with. */
export interface DemoOptions {
  readonly journal: string;
  readonly model?: string | undefined;
  /** False: only append, and wait for workers in other processes. */
  readonly workers: boolean;
  /** Seconds to wait for the agent's answer. */
  readonly timeout: number;
  readonly message: string;
}

/** Exit codes of a process that a signal ended. */
const signalExitCodes: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * The life of one prompt: an agent is born from the default prompt in one batch, a message arrives, the workers answer,
 * and what happened is printed. Resolves to the exit code: 0 when the prefix law held.
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  if (!options.workers && options.model !== undefined) {
    throw new UsageError("--model has no effect with --no-workers; give it to promptfold run");
  }
  if (!options.workers && options.journal === MEMORY_JOURNAL) {
    throw new UsageError(
      "no worker in another process can open memory:, which --no-workers would wait for; name a journal, as in sqlite:<path>",
    );
  }
  const chosen = options.workers ? await chooseModel(options.model, { prefersScripted: true }) : undefined;
  const journal = await openOrCreateJournal(options.journal);
  try {
    return await liveThrough(journal, chosen, options);
  } finally {
    await journal.close();
  }
}

async function liveThrough(
  journal: Journal,
  chosen: ChosenModel | undefined,
  options: DemoOptions,
): Promise<number> {
  const stream = newAgentStream("demo");
  introduce(stream, chosen, options);
  const recorded = chosen === undefined ? undefined : recordBodies(chosen.adapter);
  const end = new AbortController();
  const stopListening = onInterrupt((signal) => {
    end.abort(signal);
  });
  let workers: Workers | undefined;
  try {
    if (recorded !== undefined) {
      workers = startWorkers({ journal, prefix: stream, model: recorded.adapter, codemodeTag: true });
      workers.ended.catch((error: unknown) => {
        end.abort(error);
      });
    }
    await appendDefaultBirth(journal, stream, { processor: "demo", model: chosen?.name ?? UNNAMED_MODEL });
    await appendMessage(journal, stream, options.message);
    await followTurn(journal, stream, { signal: end.signal, timeoutMs: options.timeout * 1_000 });
  } catch (error) {
    const { reason } = end.signal as { reason: unknown };
    const exitCode = typeof reason === "string" ? signalExitCodes[reason as NodeJS.Signals] : undefined;
    if (exitCode === undefined) throw end.signal.aborted ? reason : error;
    const kept = options.journal === MEMORY_JOURNAL ? "" : " The journal keeps what happened so far.";
    say(`Interrupted.${kept} Run it again whenever you like.`);
    return exitCode;
  } finally {
    stopListening();
    await workers?.stop();
  }
  return report(journal, stream, options.journal, { recorded, isScripted: chosen?.isScripted === true });
}

function introduce(stream: string, chosen: ChosenModel | undefined, options: DemoOptions): void {
  const url = shownUrl(options.journal);
  say(`journal  ${url}`);
  say(`stream   ${stream}`);
  if (chosen !== undefined) {
    say(`model    ${chosen.reason}`);
    say("workers  the agent runtime and the codemode-tag worker, both in this process\n");
    return;
  }
  say("workers  in other processes; if none runs yet, start them:");
  say(`         npx promptfold run --journal ${shellWord(url)}`);
  say(`         npx promptfold worker --journal ${shellWord(url)}\n`);
}

/** What a person says comes from outside. */
async function appendMessage(journal: Journal, stream: string, content: string): Promise<void> {
  const payload = { role: "user", content, actor: { type: "user" } };
  await journal
    .as({ processor: "user", trust: "outside" })
    .append(stream, [{ type: CONTEXT_ADDED, payload }]);
}

async function report(
  journal: Journal,
  stream: string,
  url: string,
  { recorded, isScripted }: { readonly recorded: RecordedModel | undefined; readonly isScripted: boolean },
): Promise<number> {
  const sentBodies = recorded?.bodies;
  const { text, problems } = await reportDemo({ journal, stream, url, sentBodies, isScripted });
  await writeOut(text);
  if (problems.length > 0) throw new InputError(problems.join("\n"));
  return 0;
}
