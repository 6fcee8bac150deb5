import { join } from "node:path";
import { buildPackages } from "../build-packages.mjs";
import { root } from "../root.mjs";

/**
 * Kills a process that appends, a thousand times on each store of the journal, and checks each time that nothing
 * acknowledged was lost, nothing doubled and no batch is half there.
 *
 * @param {string[]} args how many times instead, if anything
 */
export async function runTorture([rounds = "1000"]) {
  if (!/^[1-9]\d{0,5}$/.test(rounds)) {
    console.error(`"${rounds}" is no number of kills. Use npm run torture, or npm run torture -- 50.`);
    return 2;
  }
  const code = await buildPackages("@promptfold/journal");
  if (code !== 0) return code;
  const { runnerImport } = await import("vite");
  const { module } = await runnerImport(join(root, "packages/journal/src/fixtures/torture.ts"));
  try {
    await module.torture(Number(rounds), console.log);
    return 0;
  } catch (error) {
    console.error(error);
    return 1;
  }
}
