import { randomBytes } from "node:crypto";
import { birthEvents } from "@promptfold/agent-llm-request";
import { CONTEXT_ADDED } from "@promptfold/contract";
import type { Journal } from "@promptfold/journal";
import { chooseModel, type ChosenModel } from "../agents/choose-model.ts";
import { readDefaultPrompt } from "../agents/read-config-prompts.ts";
import { startWorkers, type Workers } from "../agents/start-workers.ts";
import { InputError } from "../errors.ts";
import { openOrCreateJournal } from "../input/journal-input.ts";
import { onInterrupt } from "../terminal/on-interrupt.ts";
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
  const stream = `/agents/demo/${newestLastName()}`;
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
    await appendBirthAndMessage(journal, stream, chosen, options.message);
    await followTurn(journal, stream, { signal: end.signal, timeoutMs: options.timeout * 1_000 });
  } catch (error) {
    const { reason } = end.signal as { reason: unknown };
    const exitCode = typeof reason === "string" ? signalExitCodes[reason as NodeJS.Signals] : undefined;
    if (exitCode === undefined) throw end.signal.aborted ? reason : error;
    say(`Interrupted. The journal keeps what happened so far; run it again whenever you like.`);
    return exitCode;
  } finally {
    stopListening();
    await workers?.stop();
  }
  return report(journal, stream, options.journal, recorded);
}

function introduce(stream: string, chosen: ChosenModel | undefined, options: DemoOptions): void {
  say(`journal  ${options.journal}`);
  say(`stream   ${stream}`);
  if (chosen !== undefined) {
    say(`model    ${chosen.reason}`);
    say("workers  the agent runtime and the codemode-tag worker, both in this process\n");
    return;
  }
  say("workers  in other processes; if none runs yet, start them:");
  say(`         npx promptfold run --journal ${options.journal}`);
  say(`         npx promptfold worker --journal ${options.journal}\n`);
}

/** The agent's birth from inside, and the user's words from outside: all that the demonstration itself appends. */
async function appendBirthAndMessage(
  journal: Journal,
  stream: string,
  chosen: ChosenModel | undefined,
  content: string,
): Promise<void> {
  const { name, sections, metadata } = readDefaultPrompt();
  const config = { model: chosen?.name ?? "default" };
  const inside = journal.as({ processor: "demo", trust: "inside" });
  const outside = journal.as({ processor: "user", trust: "outside" });
  await inside.append(stream, birthEvents({ promptName: name, sections, metadata, config }));
  await outside.append(stream, [
    { type: CONTEXT_ADDED, payload: { role: "user", content, actor: { type: "user" } } },
  ]);
}

async function report(
  journal: Journal,
  stream: string,
  url: string,
  recorded: RecordedModel | undefined,
): Promise<number> {
  const { text, problems } = await reportDemo({ journal, stream, url, sentBodies: recorded?.bodies });
  await writeOut(text);
  if (problems.length > 0) throw new InputError(problems.join("\n"));
  return 0;
}

/** A name that sorts by time, with a few random digits so that two runs in one second stay apart. */
function newestLastName(): string {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  return `${time}-${randomBytes(2).toString("hex")}`;
}
