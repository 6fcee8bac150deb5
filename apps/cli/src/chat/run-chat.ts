import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { CONTEXT_ADDED } from "@promptfold/contract";
import { agentConfig } from "@promptfold/fold";
import type { Journal } from "@promptfold/journal";
import { CacheNotes } from "../agents/cache-notes.ts";
import { type ChosenModel, chooseModel } from "../agents/choose-model.ts";
import { describeModel } from "../agents/describe-model.ts";
import { newAgentStream } from "../agents/new-agent-stream.ts";
import { startWorkers } from "../agents/start-workers.ts";
import { journalSource } from "../input/event-source.ts";
import { openOrCreateJournal, requireStream, shownUrl } from "../input/journal-input.ts";
import { readState } from "../input/read-state.ts";
import { colorsFor } from "../terminal/colors.ts";
import { untilAborted } from "../terminal/until-aborted.ts";
import { say } from "../terminal/write-out.ts";
import { appendDefaultBirth } from "../agents/append-default-birth.ts";
import { ChatFollower } from "./follow-chat.ts";
import { showReplies } from "./show-replies.ts";

/** What a chat is held with. */
export interface ChatOptions {
  readonly journal: string;
  readonly stream?: string | undefined;
  readonly model?: string | undefined;
}

/** Holds a chat until the input ends. Resolves to the exit code. */
export async function runChat({ journal: url, stream: named, model: asked }: ChatOptions): Promise<number> {
  const chosen = await chooseModel(asked);
  const journal = await openOrCreateJournal(url);
  try {
    const stream = named === undefined ? newAgentStream("chat") : await requireStream(journal, named);
    const model = named === undefined ? chosen.reason : await modelOf(journal, stream, chosen);
    say(`${shownUrl(url)}  ${stream}\nmodel ${model}; an empty line or Ctrl-D ends the chat\n`);
    const replies = showReplies(chosen.adapter);
    const cacheNotes = new CacheNotes(url);
    const notes: string[] = [];
    const workers = startWorkers({
      journal,
      prefix: stream,
      model: replies.adapter,
      onCacheReport: (report) => {
        const note = cacheNotes.on(report);
        if (note !== undefined) notes.push(note);
      },
      codemodeTag: true,
    });
    const failed = new AbortController();
    workers.ended.catch((error: unknown) => {
      failed.abort(error);
    });
    try {
      if (named === undefined) await appendDefaultBirth(journal, stream, { model: chosen.name });
      await talk({ journal, stream, shown: replies.shown, notes, signal: failed.signal });
    } finally {
      await workers.stop();
      sayAll(notes);
    }
    if (failed.signal.aborted) throw failed.signal.reason;
    return 0;
  } finally {
    await journal.close();
  }
}

/** Which model the calls of an agent that is there already go to, for a person. */
async function modelOf(journal: Journal, stream: string, chosen: ChosenModel): Promise<string> {
  const { state } = await readState(journalSource(journal, stream), undefined);
  return describeModel(chosen, agentConfig(state).model);
}

function sayAll(notes: string[]): void {
  for (const note of notes.splice(0)) say(note);
}

interface Talk {
  readonly journal: Journal;
  readonly stream: string;
  /** Replies that were shown while they came in. */
  readonly shown: ReadonlySet<string>;
  /** What is to be said when nobody is typing. */
  readonly notes: string[];
  readonly signal: AbortSignal;
}

async function talk({ journal, stream, shown, notes, signal }: Talk): Promise<void> {
  const { yellow } = colorsFor(process.stdout);
  const isTerminal = process.stdin.isTTY;
  const follower = new ChatFollower(journal.subscribe({ stream }, { signal }), shown);
  const user = journal.as({ processor: "user", trust: "outside" });
  const lines = createInterface({ input: process.stdin, output: process.stdout, terminal: isTerminal });
  lines.setPrompt(yellow("you › "));
  for await (const content of linesOf(lines, signal)) {
    if (content.trim() === "") {
      if (isTerminal) return;
      continue;
    }
    if (!isTerminal) process.stdout.write(`${yellow("you ›")} ${content}\n`);
    const payload = { role: "user", content, actor: { type: "user" } };
    const [message] = await user.append(stream, [{ type: CONTEXT_ADDED, payload }]);
    await follower.followTurn(message?.offset ?? 0);
    sayAll(notes);
  }
}

/** Lines as they are asked for, with a prompt before each, so that none is lost while the agent answers. */
async function* linesOf(lines: Interface, signal: AbortSignal): AsyncGenerator<string> {
  const waiting: string[] = [];
  const end = new AbortController();
  const ended = end.signal;
  lines.on("line", (line) => waiting.push(line));
  lines.once("close", () => {
    end.abort();
  });
  try {
    while (!signal.aborted) {
      if (waiting.length === 0 && !ended.aborted) {
        if (process.stdin.isTTY) lines.prompt();
        await Promise.race([once(lines, "line", { signal }), untilAborted(ended)]);
      }
      const line = waiting.shift();
      if (line === undefined) return;
      yield line;
    }
  } finally {
    lines.close();
  }
}
