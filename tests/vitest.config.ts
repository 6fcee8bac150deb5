import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@promptfold/tests",
    include: ["**/*.test.ts"],
    exclude: ["laws/**", "packed/**", "node_modules/**"],
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
