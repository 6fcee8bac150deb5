import { createSandbox, type ScriptRequest } from "./create-sandbox.ts";
import type { ScriptRun } from "./script-run.ts";

/**
 * Runs one script in a sandbox of its own and frees it. For more than a few scripts, `createSandbox` once is faster.
 *
 * Rejects with InvalidHostError or InvalidLimitError when the request itself is wrong; a script cannot make it reject.
 */
export async function runScript(request: ScriptRequest): Promise<ScriptRun> {
  const sandbox = createSandbox({ concurrency: 1 });
  try {
    return await sandbox.run(request);
  } finally {
    await sandbox.close();
  }
}
