import { manyWorkers } from "../examples/many-workers/many-workers.mjs";
import { startPostgres, type PostgresServer } from "@promptfold/postgres-server";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ fsync: false });
}, 120_000);
afterAll(() => server.stop());

test("three workers on PostgreSQL, one killed in the middle, answer every agent exactly once", async () => {
  const outcome = await manyWorkers(server.url, { agents: 60, workers: 3, latencyMs: 100 });
  expect(outcome).toMatchObject({ agents: 60, answeredOnce: 60, wrong: [], killed: "worker-1" });
  const answers = [...outcome.answers.values()].reduce((sum, count) => sum + count, 0);
  expect(answers).toBe(60);
}, 120_000);
