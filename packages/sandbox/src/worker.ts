import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { executeScript, type RunningScript, type ScriptOrder } from "./execute-script.ts";
import { type Engine, loadEngine } from "./load-engine.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

/** The file of the worker thread: executes the scripts that it is told to, one at a time. */

const port = parentPort;
if (!port) throw new Error("this file is the sandbox's worker thread; import @promptfold/sandbox instead");

const guestFiles = [
  "encode-value.js",
  "guest/build-host.js",
  "guest/create-console.js",
  "guest/create-host-calls.js",
  "guest/create-timers.js",
  "guest/describe-thrown.js",
  "guest/start-guest.js",
];
const sources = new Map(
  guestFiles.map((name) => [name, readFileSync(new URL(name, import.meta.url), "utf8")]),
);
let engine: Engine | undefined;
let current: { run: number; script: RunningScript } | undefined;

port.on("message", (message: ToWorker) => {
  if (message.type === "run") {
    void execute(message);
  } else if (current?.run === message.run) {
    current.script.reply(message.call, message.succeeded, message.text);
  }
});

/** What throws here is a fault of the engine: it ends the thread, and the main thread hears of it. */
async function execute(order: ScriptOrder): Promise<void> {
  const { memoryBytes } = order.limits;
  if (engine?.memoryBytes !== memoryBytes) engine = await loadEngine(memoryBytes);
  send({ type: "received", run: order.run });
  current = { run: order.run, script: executeScript(engine, sources, order, send) };
}

function send(message: FromWorker): void {
  port?.postMessage(message);
}
