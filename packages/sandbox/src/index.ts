export { runScript } from "./run-script.ts";
export { createSandbox, type Sandbox, type SandboxOptions, type ScriptRequest } from "./create-sandbox.ts";
export type { LogLine, ScriptRun } from "./script-run.ts";
export type { LogLevel } from "./messages.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export type { Host } from "./describe-host.ts";
export { InvalidHostError } from "./invalid-host-error.ts";
export { InvalidLimitError } from "./invalid-limit-error.ts";
