/**
 * A thousand agents on PostgreSQL, run by three worker processes of which one is killed in the middle:
 * `node examples/many-workers/run.mjs [--journal postgres://…] [--agents 1000] [--workers 3] [--latency 100]`.
 * Without --journal it starts a PostgreSQL server of its own and removes it afterwards. Exits with 1 unless every agent was
 * answered exactly once.
 */
import { parseArgs } from "node:util";
import { startPostgres } from "@promptfold/postgres-server";
import { manyWorkers } from "./many-workers.mjs";

const { values } = parseArgs({
  options: {
    journal: { type: "string" },
    agents: { type: "string", default: "1000" },
    workers: { type: "string", default: "3" },
    latency: { type: "string", default: "100" },
  },
});

if (Number(values.workers) < 2) throw new Error("One worker is killed, so --workers must be 2 or more.");

const server = values.journal === undefined ? await startPostgres() : undefined;
try {
  console.log(`journal  ${server === undefined ? "the one that --journal names" : server.version}`);
  // A schema of its own, so that the agents of an earlier run are not counted.
  const url = new URL(values.journal ?? server?.url ?? "");
  if (!url.searchParams.has("schema")) url.searchParams.set("schema", `many_workers_${Date.now()}`);
  const outcome = await manyWorkers(url.href, {
    agents: Number(values.agents),
    workers: Number(values.workers),
    latencyMs: Number(values.latency),
    say: (text) => {
      console.log(text);
    },
  });
  const { agents, answeredOnce, wrong, answers, seconds, longestGapMs } = outcome;
  for (const [worker, count] of [...answers].sort()) console.log(`${worker}: ${count} answers`);
  console.log(`${agents} turns in ${seconds.toFixed(1)} s: ${(agents / seconds).toFixed(0)} a second`);
  console.log(`the longest time without an answer: ${(longestGapMs / 1_000).toFixed(1)} s`);
  console.log(`${answeredOnce} of ${agents} agents were answered exactly once`);
  for (const line of wrong.slice(0, 10)) console.log(line);
  process.exitCode = answeredOnce === agents ? 0 : 1;
} finally {
  await server?.stop();
}
