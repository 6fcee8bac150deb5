import type { Host, Sandbox, ScriptRun } from "@promptfold/sandbox";

/** A script as an agent's reply asked for it. */
export interface RequestedScript {
  readonly stream: string;
  readonly executionId: string;
  readonly code: string;
  /** Whether the code is bare statements, to be run as the body of an async function of `host`. */
  readonly wrap: boolean;
}

/** Runs one script to its settlement. Never rejects because of what the script does. */
export type ScriptRunner = (script: RequestedScript, signal: AbortSignal) => Promise<ScriptRun>;

/** A result has to fit into one event, also when every character takes three bytes. */
const RESULT_CHARACTERS = 4_000_000;

/** A runner on a sandbox: each script gets the host object made for its agent, and nothing else. */
export function sandboxRunner(sandbox: Sandbox, createHost: (stream: string) => Host): ScriptRunner {
  return ({ stream, code, wrap }, signal) =>
    sandbox.run({
      code,
      wrap,
      host: createHost(stream),
      limits: { resultCharacters: RESULT_CHARACTERS },
      signal,
    });
}
