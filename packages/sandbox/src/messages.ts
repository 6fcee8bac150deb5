import type { Limits } from "./limits.ts";

/** What the main thread tells the worker. `run` numbers the script, so that nothing late reaches another one. */
export type ToWorker =
  | { type: "run"; run: number; code: string; wrap: boolean; shape: string; limits: Limits }
  | { type: "reply"; run: number; call: number; succeeded: boolean; text: string };

/** What the worker tells the main thread. Every text that a script can influence is data to distrust. */
export type FromWorker =
  /** The thread has loaded and reads the script. */
  | { type: "received"; run: number }
  /** The script parses and runs from now on. */
  | { type: "started"; run: number }
  | { type: "call"; run: number; call: number; target: number; text: string }
  | { type: "log"; run: number; level: LogLevel; text: string }
  | { type: "omitted"; run: number; lines: number }
  | { type: "ended"; run: number; end: ScriptEnd }
  /** The script's memory is freed; whether the worker may run another one. */
  | { type: "freed"; run: number; reusable: boolean };

/** The console method that a line was written with. */
export type LogLevel = "debug" | "info" | "log" | "warn" | "error";

/** How a script ended inside the worker. `text` is JSON, absent when nothing was returned. */
export type ScriptEnd =
  | { kind: "returned"; text?: string }
  | { kind: "threw"; error: string }
  | { kind: "refused"; error: string }
  | { kind: "out-of-time" }
  | { kind: "stuck" };

/** One place of the host object as a script sees it; an object's members are entries, so any name is safe. */
export type HostShape =
  | { kind: "function"; target: number }
  | { kind: "object"; members: [name: string, shape: HostShape][] }
  | { kind: "data"; text: string };
