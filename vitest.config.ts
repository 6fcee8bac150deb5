import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** A project named like its package, with the settings below. */
function projectAt(root: string): TestProjectInlineConfiguration {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { name: string };
  return { extends: true, root, test: { name: manifest.name } };
}

/** One project for each package in a folder. */
function projectsIn(folder: string): TestProjectInlineConfiguration[] {
  const roots = readdirSync(join(import.meta.dirname, folder)).map((name) =>
    join(import.meta.dirname, folder, name),
  );
  // A folder without a manifest is what an old build left of a package that is gone.
  return roots.filter((root) => existsSync(join(root, "package.json"))).map(projectAt);
}

export default defineConfig({
  test: {
    // Vitest would leave one core idle; more workers than cores only get in each other's way.
    maxWorkers: availableParallelism(),
    // Tests leave nothing behind in a module, and loading every module for every file took a quarter of the time.
    isolate: false,
    // Property tests take seconds on a busy machine; a limit is there to end what hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      ...projectsIn("packages"),
      ...projectsIn("apps"),
      projectAt(join(import.meta.dirname, "tests/laws")),
      "tests",
      "tests/packed",
    ],
  },
});
