import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { startPostgres, type PostgresServer } from "./fixtures/postgres-server.ts";
import { postgresStore } from "./fixtures/stores.ts";
import { journalSuite } from "./testing/journal-suite.ts";

// Generous: a machine that does other work at the same time must not fail a law.
vi.setConfig({ testTimeout: 60_000 });

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop(), 30_000);

journalSuite(
  { describe, it },
  postgresStore(() => server.url),
);
