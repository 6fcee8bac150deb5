import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@promptfold/tests-packed",
    include: ["*.test.ts"],
    globalSetup: ["./pack-and-install.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
