import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { birthEvents } from "@promptfold/agent-llm-request";
import { type CommittedEvent, type Journal, openJournal } from "@promptfold/journal";
import { afterEach, beforeEach, expect, it } from "vitest";

const stream = "/agents/test/killed";
const program = fileURLToPath(new URL("../test/worker-process.mjs", import.meta.url));

let folder: string;
let journal: Journal;
let workers: ChildProcess[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "promptfold-killed-"));
  journal = await openJournal(`sqlite:${join(folder, "journal.db")}`);
  workers = [];
});
afterEach(async () => {
  for (const worker of workers) await kill(worker);
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

function startWorker(): ChildProcessByStdio<null, Readable, null> {
  const args = [program, `sqlite:${join(folder, "journal.db")}`, join(folder, "out.txt")];
  const worker = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  workers.push(worker);
  return worker;
}

async function kill(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.kill("SIGKILL");
  await once(worker, "exit");
}

async function seen(fits: (event: CommittedEvent) => boolean): Promise<CommittedEvent> {
  for await (const event of journal.subscribe({ stream })) if (fits(event)) return event;
  throw new Error("the journal closed before the event came");
}

it("a script whose worker is killed in its middle is not run again, and the model learns that it may have run", async () => {
  const inside = journal.as({ processor: "test", trust: "inside" });
  const outside = journal.as({ processor: "test", trust: "outside" });
  const sections = [{ key: "output-formatting", content: "Use a ts fence." }];
  await inside.append(stream, birthEvents({ promptName: "test", sections }));
  await outside.append(stream, [
    { type: "agents/context-added", payload: { role: "user", content: "write once" } },
  ]);

  const first = startWorker();
  await once(first.stdout, "data");
  await kill(first);
  startWorker();

  const settled = await seen(({ type }) => type === "capability-host/script-run-settled");
  expect(settled.payload).toMatchObject({ settlement: { status: "unknown" } });
  await seen(({ payload }) => (payload as { content?: string }).content === "Understood.");
  expect(readFileSync(join(folder, "out.txt"), "utf8")).toBe("written\n");
});
