import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Vitest would leave one core idle.
    maxWorkers: "100%",
    projects: ["packages/*", "apps/*", "configs/*", "tests", "tests/packed"],
  },
});
