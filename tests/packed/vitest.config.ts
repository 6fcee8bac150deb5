import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "@promptfold/tests-packed",
    include: ["*.test.ts"],
    globalSetup: [join(import.meta.dirname, "pack-and-install.ts")],
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
