import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { buildPackages } from "../build-packages.mjs";
import { root } from "../root.mjs";
import { runCommand } from "../run-command.mjs";

/** What benchmarks share, which is no benchmark itself. */
const shared = ["measure.mjs"];

/**
 * Builds everything, then runs the benchmarks one after the other, so that none disturbs another.
 *
 * @param {string[]} names of files in `bench/` without `.mjs`; all benchmarks unless given
 */
export async function runBench(names) {
  const folder = join(root, "bench");
  const all = readdirSync(folder).filter((file) => file.endsWith(".mjs") && !shared.includes(file));
  const files = names.length > 0 ? names.map((name) => `${name}.mjs`) : all;
  const missing = files.filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0) {
    console.error(`There is no ${missing.join(", ")} in bench/. Benchmarks: ${all.join(", ")}.`);
    return 2;
  }

  const code = await buildPackages();
  if (code !== 0) return code;
  for (const file of files) {
    console.log(`\n${file}`);
    const run = await runCommand({ command: process.execPath, args: ["--expose-gc", join(folder, file)] });
    if (run.code !== 0) return run.code;
  }
  return 0;
}
