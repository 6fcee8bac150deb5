import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@promptfold/tests",
    include: ["**/*.test.ts"],
    exclude: ["laws/**", "packed/**", "node_modules/**"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
