import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** One project for each package in a folder, named like the package, with the settings below. */
function projectsIn(folder: string): TestProjectInlineConfiguration[] {
  const roots = readdirSync(join(import.meta.dirname, folder)).map((name) =>
    join(import.meta.dirname, folder, name),
  );
  // A folder without a manifest is what an old build left of a package that is gone.
  return roots
    .filter((root) => existsSync(join(root, "package.json")))
    .map((root) => {
      const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { name: string };
      return { extends: true, root, test: { name: manifest.name } };
    });
}

export default defineConfig({
  test: {
    // Vitest would leave one core idle.
    maxWorkers: "100%",
    // Property tests take seconds on a busy machine; a limit is there to end what hangs.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [...projectsIn("packages"), ...projectsIn("apps"), "tests", "tests/packed"],
  },
});
