import picocolors from "picocolors";
import { expect, it } from "vitest";
import { promptfold } from "../testing/run-in-process.ts";
import { temporaryFolder } from "../testing/run-promptfold.ts";
import { whatNext } from "./what-next.ts";

const colors = picocolors.createColors(false);
const next = (url: string): string =>
  whatNext({ url, stream: "/agents/demo/1", requests: [15, 22] }, colors).join("\n");

it("shows no password, and says which kind of journal it is", () => {
  const text = next("postgres://app:secret@db.internal/agents?schema=x&password=secret");
  expect(text).not.toContain("secret");
  expect(text).toContain("a PostgreSQL database that keeps every run. Put the password in where *** stands.");
  expect(text).toContain(
    "npx promptfold rules --journal 'postgres://app:***@db.internal/agents?schema=x&password=***' --stream /agents/demo/1",
  );
  expect(next("sqlite:it's a.db")).toContain(String.raw`state --journal 'sqlite:it'\''s a.db' --stream`);
  expect(next("sqlite:a.db")).toContain("sqlite:a.db, an SQLite file that keeps every run.\n");
});

it("recommends no command on a journal that is gone", async () => {
  const { exitCode, stdout } = await promptfold(["demo", "--journal", "memory:"], { cwd: temporaryFolder() });
  expect(exitCode).toBe(0);
  expect(stdout).toContain("a journal in memory is gone with this run");
  expect(stdout).not.toMatch(/npx promptfold|SQLite/);
});

it("waits for no process that could not open its journal", async () => {
  const { exitCode, stderr } = await promptfold(["demo", "--journal", "memory:", "--no-workers"]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^error no worker in another process can open memory:.+; name a journal/);
});
