import { migrateJournal, openJournal } from "@promptfold/journal";
import { startPostgres, type PostgresServer } from "@promptfold/postgres-server";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ fsync: false });
}, 120_000);
afterAll(() => server.stop());

test("a worker with the rights that the scaling guide names runs on tables that an owner migrated", async () => {
  const guide = readFileSync(join(import.meta.dirname, "../docs/scaling.md"), "utf8");
  const grants = /^```sql\n([^]+?)^```/m.exec(guide)?.[1] ?? "";
  await server.run("CREATE ROLE worker LOGIN");
  expect(await migrateJournal(server.url)).toMatchObject({ from: 0, to: 1 });
  const url = server.url.replace("postgres@", "worker@");
  await expect(openJournal(url)).rejects.toMatchObject({ code: "storage-read-only" });
  await server.run(grants);
  const journal = await openJournal(url);
  const event = { type: "test/any", payload: {}, idempotencyKey: "k" };
  await journal.as({ processor: "worker", trust: "inside" }).append("/a", [event]);
  const lease = await journal.lease({ stream: "/a", processor: "worker" }, { ttlMs: 60_000 });
  await lease?.renew();
  await lease?.release();
  await journal.checkpoints.save("worker", { prefix: "/" }, 1);
  await journal.checkpoints.reset("worker", { prefix: "/" });
  await journal.snapshots.clear("/a");
  for await (const seen of journal.subscribe({ prefix: "/" })) {
    expect(seen.offset).toBe(1);
    break;
  }
  expect((await journal.verify()).problems).toEqual([]);
  await journal.close();
});
