/**
 * One worker process: `node worker.mjs JOURNAL_URL [NAME] [LATENCY_MS]`. It runs every agent under /agents/ until SIGTERM,
 * beside any number of others. A scripted model that takes LATENCY_MS stands in for a real one.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { runAgents, scriptedModel } from "@promptfold/agent-llm-request";
import { openJournal } from "@promptfold/journal";

const [url = "", name = `worker-${process.pid}`, latency = "100"] = process.argv.slice(2);

const stop = new globalThis.AbortController();
process.once("SIGTERM", () => {
  stop.abort();
});

const scripted = scriptedModel(() => ({ text: `answered by ${name}`, finishReason: "stop" }));
/** @type {import("@promptfold/agent-llm-request").ModelAdapter} */
const model = {
  ...scripted,
  async call(call) {
    await sleep(Number(latency), undefined, { signal: call.signal });
    return scripted.call(call);
  },
};

const journal = await openJournal(url);
process.stdout.write("ready\n");
try {
  await runAgents({
    journal,
    model,
    runScript: () => Promise.reject(new Error("this model writes no scripts")),
    // How long the agents of a worker that was killed wait for another one.
    leaseTtlMs: 2_000,
    signal: stop.signal,
  });
} finally {
  await journal.close();
}
