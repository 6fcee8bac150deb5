import type { LogLevel } from "../messages.ts";

/** The worker's side; every call returns at once. */
export interface GuestBridge {
  call: (call: number, target: number, text: string) => void;
  log: (level: LogLevel, text: string) => void;
  omit: (lines: number) => void;
  startTimer: (timer: number, milliseconds: number) => void;
  stopTimer: (timer: number) => void;
  /** `text` is the result as JSON, `""` for none. */
  returned: (text: string) => void;
  /** `text` is JSON of a `GuestError`. */
  threw: (text: string) => void;
}

/** What the guest needs to know of the limits. */
export interface GuestLimits {
  logCharacters: number;
  resultCharacters: number;
  argumentCharacters: number;
  pendingCalls: number;
}

/** What a script threw, described where it happened. */
export interface GuestError {
  text: string;
  stack: string;
}

/** The ways back into the guest. */
export interface Guest {
  /** Calls the script; `whole`: what it returns is the function to call. */
  run: (script: (host: unknown) => unknown, whole: boolean) => void;
  reply: (call: number, succeeded: boolean, text: string) => void;
  fire: (timer: number) => void;
}
