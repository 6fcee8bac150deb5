import { join } from "node:path";
import { ESLint } from "eslint";
import { describe, expect, test } from "vitest";
import { listPublicPackages, root } from "./list-packages.ts";

/** The order in which packages may build on each other: each only on those before it. */
const layers = [
  ["packages/contract", "@promptfold/contract"],
  ["packages/parser", "@promptfold/parser"],
  ["packages/templating", "@promptfold/templating"],
  ["packages/check", "@promptfold/check"],
  ["packages/fold", "@promptfold/fold"],
  ["packages/renderer", "@promptfold/renderer"],
  ["packages/replay", "@promptfold/replay"],
  ["packages/codemode", "@promptfold/codemode"],
  ["packages/journal", "@promptfold/journal"],
  ["packages/sandbox", "@promptfold/sandbox"],
  ["configs/default", "@promptfold/config-default"],
  ["configs/codemode-tag", "@promptfold/config-codemode-tag"],
  ["apps/agent-llm-request", "@promptfold/agent-llm-request"],
  ["apps/codemode-tag", "@promptfold/codemode-tag"],
  ["apps/cli", "promptfold"],
] as const;

const withCode = layers.filter(([dir]) => !dir.startsWith("configs/"));

/** Files of packages that run anywhere. */
const pureFiles = [
  "packages/contract/src/index.ts",
  "packages/parser/src/index.ts",
  "packages/templating/src/index.ts",
  "packages/fold/src/index.ts",
  "packages/renderer/src/index.ts",
  "packages/renderer/src/mappings/openai-chat.ts",
  "packages/replay/src/index.ts",
  "packages/codemode/src/index.ts",
];

const nodeFiles = [
  "packages/templating/src/node/load-prompt.ts",
  "packages/check/src/index.ts",
  "packages/journal/src/index.ts",
  "packages/sandbox/src/index.ts",
  "apps/cli/src/index.ts",
];

// Boundaries need no types, so none are loaded: the files are taken for what their path says.
const eslint = new ESLint({
  cwd: root,
  ruleFilter: ({ ruleId }) => ruleId.startsWith("no-restricted-"),
  overrideConfig: { files: ["**/*.ts"], languageOptions: { parserOptions: { projectService: false } } },
});

/** The lines of `code` that a boundary rule objects to, when `code` stands in `file`. */
async function objectedLines(file: string, code: readonly string[]): Promise<string[]> {
  const [result] = await eslint.lintText(code.join("\n"), { filePath: join(root, file) });
  const messages = result?.messages ?? [];
  expect(messages.filter(({ fatal }) => fatal)).toEqual([]);
  const lines = new Set(messages.map(({ line }) => line));
  return code.filter((_, index) => lines.has(index + 1));
}

describe("layers", () => {
  test("every public package has a place in the order", () => {
    const dirs = listPublicPackages().map(({ dir }) => dir);
    expect(dirs).toEqual(layers.map(([dir]) => dir).sort());
  });

  test.each(withCode)("%s imports only packages that stand before it", async (dir, name) => {
    const place = layers.findIndex(([, other]) => other === name);
    const forms = (other: string): string[] => [
      `import "${other}";`,
      `export { x } from "${other}";`,
      `import type { X } from "${other}/anything";`,
    ];
    const allowed = layers.slice(0, place).flatMap(([, other]) => forms(other));
    const forbidden = layers.slice(place).flatMap(([, other]) => forms(other));
    const file = `${dir}/src/index.ts`;
    expect(await objectedLines(file, [...allowed, ...forbidden])).toEqual(forbidden);
    expect(await objectedLines(`${dir}/src/deeper/below.test.ts`, [...allowed, ...forbidden])).toEqual(
      forbidden,
    );
  });

  test.each(withCode)(
    "%s cannot get round the order by a dynamic import or an import type",
    async (dir, name) => {
      const place = layers.findIndex(([, other]) => other === name);
      const forbidden = layers
        .slice(place)
        .flatMap(([, other], index) => [
          `void import("${other}");`,
          `type X${index} = import("${other}/anything").Y;`,
        ]);
      expect(await objectedLines(`${dir}/src/index.ts`, forbidden)).toEqual(forbidden);
    },
  );

  test.each(withCode)("%s takes from other packages only what they export", async (dir) => {
    const forbidden = [
      'import "@promptfold/contract/src/event.ts";',
      'import "@promptfold/contract/dist/event.js";',
      'export { x } from "@promptfold/contract/src";',
      'import "../../contract/src/event.ts";',
      'import "../../contract/dist/index.js";',
      'import "../../../packages/contract/src/index.ts";',
      'void import("@promptfold/contract/dist/event.js");',
      'void import("../../contract/src/event.ts");',
    ];
    const allowed = ['import "./event.ts";', 'import "../event.ts";', 'import "./source/event.ts";'];
    expect(await objectedLines(`${dir}/src/index.ts`, [...forbidden, ...allowed])).toEqual(forbidden);
  });
});

describe("packages that run anywhere", () => {
  const builtIns = [
    'import { readFileSync } from "node:fs";',
    'import path from "path";',
    'export { join } from "node:path/posix";',
    'import type { Stats } from "fs/promises";',
    'import test from "node:test";',
    'type Hash = import("node:crypto").Hash;',
    'void import("node:fs");',
    'void import("anything");',
  ];
  const clock = [
    "export const a = Date.now();",
    'export const b = Date["now"]();',
    "export const { now } = Date;",
    "export const c = new Date();",
    "export const d = Date();",
    "export const e = globalThis.Date.now();",
    "export const f = performance.now();",
    "setTimeout(() => undefined, 1);",
    "queueMicrotask(() => undefined);",
  ];
  const randomness = [
    "export const a = Math.random();",
    "export const { random } = Math;",
    "export const b = crypto.randomUUID();",
    "export const c = globalThis.crypto.getRandomValues(new Uint8Array(1));",
    "export const d = globalThis.Math.random();",
  ];
  const inputOutput = [
    'console.log("x");',
    'globalThis.console.error("x");',
    'export const a = fetch("https://example.com");',
    "export const b = process.env;",
    'export const c = Buffer.from("x");',
    'export const d = require("x");',
    'export const e = global["x"];',
    'export const f = new WebSocket("wss://example.com");',
    'export const g = localStorage.getItem("x");',
  ];
  const placeAndLanguage = [
    "export const a = new Date(0).getHours();",
    "export const b = new Date(0).toLocaleString();",
    "export const c = new Date(0).getTimezoneOffset();",
    "export const f = new Date(2026, 0, 24);",
    'export const d = "a".localeCompare("b");',
    'export const e = "a".toLocaleUpperCase();',
  ];
  const harmless = [
    'import { z } from "zod";',
    'export const a = new Date("2026-01-24T00:00:00.000Z").toISOString();',
    'export const b = Date.parse("2026-01-24T00:00:00.000Z");',
    "export const c = Math.max(1, 2);",
    'export const d = new Intl.DateTimeFormat("en-US", { timeZone: "UTC" });',
    "export const e = new TextEncoder();",
  ];
  const forbidden = { builtIns, clock, randomness, inputOutput, placeAndLanguage };

  for (const file of pureFiles) {
    test.each(Object.entries(forbidden))(`${file} may not use %s`, async (_, lines) => {
      expect(await objectedLines(file, lines)).toEqual(lines);
    });

    test(`${file} may use what is the same everywhere`, async () => {
      expect(await objectedLines(file, harmless)).toEqual([]);
    });
  }

  test("the pure part of templating does not reach into its Node part", async () => {
    const lines = ['import "./node/load-prompt.ts";', 'export { x } from "./node/index.ts";'];
    expect(await objectedLines("packages/templating/src/index.ts", lines)).toEqual(lines);
    expect(
      await objectedLines("packages/templating/src/deeper/x.ts", ['import "../node/x.ts";']),
    ).toHaveLength(1);
    expect(
      await objectedLines("packages/templating/src/node/index.ts", ['import "../prompt-file.ts";']),
    ).toEqual([]);
  });
});

test.each(nodeFiles)("%s may use Node, the clock and randomness", async (file) => {
  const lines = [
    'import { readFileSync } from "node:fs";',
    "export const a = Date.now();",
    "export const b = Math.random();",
    "export const c = process.env;",
    'void import("node:fs");',
  ];
  expect(await objectedLines(file, lines)).toEqual([]);
});

test("tests of a pure package may use Node", async () => {
  const lines = ['import { readFileSync } from "node:fs";', "export const a = Date.now();"];
  expect(await objectedLines("packages/fold/src/fold-event.test.ts", lines)).toEqual([]);
});
