import { birthEvents } from "@promptfold/agent-llm-request";
import {
  AGENT_CONFIGURED,
  CONTEXT_ADDED,
  LLM_REQUEST_REQUESTED,
  LLM_REQUEST_SETTLED,
} from "@promptfold/contract";
import { openJournal } from "@promptfold/journal";
import { endWorkers, startWorkers } from "./start-workers.mjs";

/** @typedef {import("@promptfold/journal").Journal} Journal */
/** @typedef {import("@promptfold/journal").CommittedEvent} CommittedEvent */

/**
 * What became of the agents: how many were answered exactly once, all others by name, which worker gave how many answers,
 * and how fast.
 *
 * @typedef {object} Outcome
 * @property {number} agents
 * @property {number} answeredOnce
 * @property {string[]} wrong
 * @property {string} killed
 * @property {number} openWhenKilled requests that were open at that moment
 * @property {ReadonlyMap<string, number>} answers
 * @property {number} seconds from the first question to the last answer
 * @property {number} longestGapMs the longest time without an answer: the takeover
 */

/**
 * Creates agents that each have a question, lets worker processes answer them, kills one of these when a third of the
 * answers are there, and waits for the rest.
 *
 * @param {string} url the journal's
 * @param {{ agents: number, workers: number, latencyMs: number, say?: (text: string) => void }} options
 * @returns {Promise<Outcome>}
 */
export async function manyWorkers(url, { agents, workers: count, latencyMs, say = () => undefined }) {
  const journal = await openJournal(url);
  const workers = await startWorkers(url, { count, latencyMs });
  try {
    say(`${workers.length} workers are ready`);
    const start = performance.now();
    const asking = ask(journal, agents);
    const settled = new Set();
    const open = new Set();
    let killed = { name: "", open: 0 };
    let [newest, longestGapMs] = [start, 0];
    const died = new globalThis.AbortController();
    for (const { name, exited } of workers) void exited.then(() => name === killed.name || died.abort(name));
    const { signal } = died;
    for await (const event of journal.subscribe({ prefix: "/agents/" }, { signal })) {
      if (event.type === LLM_REQUEST_REQUESTED) open.add(event.stream);
      if (event.type !== LLM_REQUEST_SETTLED) continue;
      open.delete(event.stream);
      settled.add(event.stream);
      const now = performance.now();
      longestGapMs = Math.max(longestGapMs, now - newest);
      newest = now;
      if (settled.size === agents) break;
      if (killed.name !== "" || settled.size < agents / 3) continue;
      const [victim] = workers.splice(0, 1);
      if (victim === undefined) continue;
      killed = { name: victim.name, open: open.size };
      void endWorkers([victim], "SIGKILL");
      say(`${settled.size} agents are answered, ${open.size} requests are open: killed ${victim.name}`);
    }
    await asking;
    if (signal.aborted) throw new Error(`${String(signal.reason)} ended by itself`);
    const seconds = (newest - start) / 1_000;
    // Whoever would answer twice gets the time to do it.
    await endWorkers(workers.splice(0), "SIGTERM");
    return {
      ...(await countAnswers(journal)),
      agents,
      killed: killed.name,
      openWhenKilled: killed.open,
      seconds,
      longestGapMs,
    };
  } finally {
    await endWorkers(workers, "SIGKILL");
    await journal.close();
  }
}

/**
 * One atomic append an agent: its birth, the end of its birth window, and a person's question.
 *
 * @param {Journal} journal
 * @param {number} agents
 */
async function ask(journal, agents) {
  const inside = journal.as({ processor: "many-workers", trust: "inside" });
  const outside = journal.as({ processor: "many-workers", trust: "outside" });
  const sections = [{ key: "identity", content: "You answer questions." }];
  const birth = [
    ...birthEvents({ promptName: "many-workers", sections }),
    {
      type: AGENT_CONFIGURED,
      payload: { config: { llmRequestDebounceMs: 0 } },
      idempotencyKey: "birth/done",
    },
  ];
  const question = {
    type: CONTEXT_ADDED,
    payload: { role: "user", content: "What is the answer?" },
    idempotencyKey: "question",
  };
  const names = Array.from(
    { length: agents },
    (_, index) => `/agents/many/${String(index + 1).padStart(5, "0")}`,
  );
  const next = names.values();
  const asker = async () => {
    for (const name of next) {
      await inside.append(name, birth);
      await outside.append(name, [question]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, asker));
}

/**
 * Reads what every agent's stream holds in the end.
 *
 * @param {Journal} journal
 */
async function countAnswers(journal) {
  /** @type {Map<string, number>} */
  const answers = new Map();
  /** @type {string[]} */
  const wrong = [];
  let answeredOnce = 0;
  for await (const stream of journal.streams({ prefix: "/agents/" })) {
    const texts = [];
    let settlements = 0;
    for await (const page of journal.read(stream, { types: [CONTEXT_ADDED, LLM_REQUEST_SETTLED] })) {
      for (const { type, payload } of page) {
        const { role, content } = /** @type {{ role?: string, content?: string }} */ (payload);
        if (type === LLM_REQUEST_SETTLED) settlements += 1;
        else if (role === "assistant") texts.push(content ?? "");
      }
    }
    const [text] = texts;
    if (texts.length === 1 && settlements === 1) answeredOnce += 1;
    else wrong.push(`${stream}: ${texts.length} answers, ${settlements} settlements`);
    const worker = /^answered by (.+)$/.exec(text ?? "")?.[1] ?? "nobody";
    answers.set(worker, (answers.get(worker) ?? 0) + 1);
  }
  return { answers, wrong, answeredOnce };
}
