/**
 * An agent runtime and a codemode-tag worker in a process of their own, for tests that kill it:
 * `node worker-process.mjs JOURNAL_URL FILE`. Its host appends a line to FILE, says so on stdout, and
 * then keeps the script waiting.
 */
import { appendFileSync } from "node:fs";
import { runAgents, sandboxRunner, scriptedModel } from "@promptfold/agent-llm-request";
import { runCodemodeTag } from "@promptfold/codemode-tag";
import { openJournal } from "@promptfold/journal";
import { createSandbox } from "@promptfold/sandbox";

const [url = "", file = ""] = process.argv.slice(2);
const journal = await openJournal(url);
const host = {
  write: () => {
    appendFileSync(file, "written\n");
    console.log("written");
    return new Promise(() => undefined);
  },
};
const runScript = sandboxRunner(createSandbox(), () => host);
const model = scriptedModel((body) => {
  const said = JSON.stringify(body);
  return {
    text: said.includes("may have run")
      ? "Understood."
      : "<codemode>\nawait host.write(); return 1\n</codemode>",
  };
});
const { signal } = new globalThis.AbortController();
const leaseTtlMs = 1_000;
const replyFormat = [{ key: "output-formatting", content: "Use codemode tags." }];
await Promise.all([
  runAgents({ journal, model, runScript, leaseTtlMs, signal }),
  runCodemodeTag({ journal, replyFormat, runScript, leaseTtlMs, signal }),
]);
