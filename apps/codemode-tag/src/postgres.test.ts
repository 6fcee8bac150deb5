import { birthEvents, runAgents, sandboxRunner, scriptedModel } from "@promptfold/agent-llm-request";
import { type CommittedEvent, openJournal } from "@promptfold/journal";
import { parseSections } from "@promptfold/parser";
import { createSandbox } from "@promptfold/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startPostgres } from "@promptfold/postgres-server";
import { runCodemodeTag } from "./index.ts";

let server: Awaited<ReturnType<typeof startPostgres>>;
beforeAll(async () => {
  server = await startPostgres({ fsync: false });
}, 120_000);
afterAll(() => server.stop());

const stream = "/agents/postgres/tag";
const content = ({ payload }: CommittedEvent) => (payload as { content?: string }).content;

it("a runtime and two workers, each with a connection of its own, run a script once and tell its result", async () => {
  const open = () => openJournal(server.url);
  const [journal, ofRuntime, ...ofWorkers] = [await open(), await open(), await open(), await open()];
  const sandbox = createSandbox();
  const stop = new AbortController();
  const { signal } = stop;
  let runs = 0;
  const runScript = sandboxRunner(sandbox, () => ({
    add(a: number, b: number) {
      runs += 1;
      return a + b;
    },
  }));
  const replies = [
    'Adding.\n\n<codemode status="Adding">\nreturn await host.add(2, 3)\n</codemode>',
    "It is five.",
  ];
  const model = scriptedModel(() => ({ text: replies.shift() ?? "" }));
  const replyFormat = parseSections('<section key="output-formatting">\nUse codemode tags.\n</section>', {
    fallbackKey: "unused",
  });
  const running = [
    runAgents({
      journal: ofRuntime,
      model,
      runScript: () => Promise.reject(new Error("not its task")),
      signal,
    }),
    ...ofWorkers.map((own) => runCodemodeTag({ journal: own, replyFormat, runScript, signal })),
  ];
  const sections = [{ key: "output-formatting", content: "Use a ts fence." }];
  await journal
    .as({ processor: "test", trust: "inside" })
    .append(stream, birthEvents({ promptName: "test", sections, config: {} }));
  const message = { type: "agents/context-added", payload: { role: "user", content: "What is 2 + 3?" } };
  await journal.as({ processor: "test", trust: "outside" }).append(stream, [message]);
  const seen: CommittedEvent[] = [];
  for await (const event of journal.subscribe({ stream })) {
    seen.push(event);
    if (content(event) === "It is five.") break;
  }
  const told = seen.map(content).filter((text) => text?.startsWith("Your script"));
  expect(told).toEqual([expect.stringMatching(/^Your script returned \(in [\d.]+m?s\):\n```json\n5\n```$/)]);
  expect(runs).toBe(1);
  stop.abort();
  await Promise.all(running);
  await sandbox.close();
  for (const each of [journal, ofRuntime, ...ofWorkers]) await each.close();
});
