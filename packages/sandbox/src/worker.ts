import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { newQuickJSWASMModule } from "quickjs-emscripten";
import { executeScript, type RunningScript } from "./execute-script.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

/** The file of the worker thread: executes the scripts that it is told to, one at a time. */

const port = parentPort;
if (!port) throw new Error("This file is the sandbox's worker thread; import @promptfold/sandbox instead.");

const names = ["guest.js", "encode-value.js"];
const sources = new Map(names.map((name) => [name, readFileSync(new URL(name, import.meta.url), "utf8")]));
const module = await newQuickJSWASMModule();
let current: { run: number; script: RunningScript } | undefined;

port.on("message", (message: ToWorker) => {
  if (message.type === "run") {
    current = { run: message.run, script: executeScript(module, sources, message, send) };
  } else if (current?.run === message.run) {
    current.script.reply(message.call, message.succeeded, message.text);
  }
});

function send(message: FromWorker): void {
  port?.postMessage(message);
}
