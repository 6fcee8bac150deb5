import { buildPackages } from "../build-packages.mjs";
import { packageCommand, runCommand } from "../run-command.mjs";

/**
 * Checks the laws of every provider mapping on many more random streams than the tests do: each request is legal by an
 * independent validator, and a prefix of the next one to the byte.
 *
 * @param {string[]} args how many streams for each law and mapping, if not 10,000
 */
export async function runLaws([streams = "10000"]) {
  if (!/^[1-9]\d{0,6}$/.test(streams)) {
    console.error(`"${streams}" is no number of streams. Use npm run laws, or npm run laws -- 50000.`);
    return 2;
  }
  const code = await buildPackages("@promptfold/laws^...");
  if (code !== 0) return code;
  // By file name: the laws of the mappings, and that no value reaches a body as anything but text.
  const args = ["run", "--project", "@promptfold/laws", "mapping", "inert"];
  const run = packageCommand("vitest", [...args, "--testTimeout=0"]);
  return (await runCommand(run, { env: { PROMPTFOLD_LAW_RUNS: streams } })).code;
}
