import { builtinModules } from "node:module";
import js from "@eslint/js";
import tseslint from "typescript-eslint";

/**
 * The packages in dependency order: a package may import only packages that stand before it.
 * `pure` lists the folders whose code must run anywhere: no Node built-ins, clock, randomness or I/O.
 */
const layers = [
  { dir: "packages/contract", name: "@promptfold/contract", pure: ["src/**"] },
  { dir: "packages/parser", name: "@promptfold/parser", pure: ["src/**"] },
  { dir: "packages/templating", name: "@promptfold/templating", pure: ["src/**"], impure: ["src/node/**"] },
  { dir: "packages/check", name: "@promptfold/check" },
  { dir: "packages/fold", name: "@promptfold/fold", pure: ["src/**"] },
  { dir: "packages/renderer", name: "@promptfold/renderer", pure: ["src/**"] },
  { dir: "packages/replay", name: "@promptfold/replay", pure: ["src/**"] },
  { dir: "packages/codemode", name: "@promptfold/codemode", pure: ["src/**"] },
  { dir: "packages/journal", name: "@promptfold/journal" },
  { dir: "packages/sandbox", name: "@promptfold/sandbox" },
  { dir: "configs/default", name: "@promptfold/config-default" },
  { dir: "configs/codemode-tag", name: "@promptfold/config-codemode-tag" },
  { dir: "apps/agent-llm-request", name: "@promptfold/agent-llm-request" },
  { dir: "apps/codemode-tag", name: "@promptfold/codemode-tag" },
  { dir: "apps/cli", name: "promptfold" },
];

/** What a specifier may not look like, and why. The expressions also stand in selectors, where a slash has to be escaped. */
const deepImports = [
  {
    regex: "^(?:@promptfold/[^/]+|promptfold)/(?:src|dist)(?:/|$)",
    message: "Import what the package exports, not a file inside it.",
  },
  {
    regex: "^(?:\\.\\./)+(?:[^/]+/)*(?:src|dist)(?:/|$)",
    message: "Import another package by its name, not by a path into its folder.",
  },
];

function laterPackages(index) {
  return layers.slice(index).map(({ name }) => ({
    regex: `^${name}(?:/|$)`,
    message: `${layers[index].name} may import only packages that stand before it in the layer list.`,
  }));
}

const nodeBuiltIns = {
  regex: `^(?:node:|(?:${builtinModules.filter((name) => !name.startsWith("_")).join("|")})(?:/|$))`,
  message: "This package runs anywhere: no Node built-ins. Take what you need as an argument.",
};

const nodePart = {
  regex: "^(?:\\./|(?:\\.\\./)+)node(?:/|$)",
  message: "This part of the package runs anywhere: it may not import the part that needs Node.",
};

/** The rules that keep the specifiers in `patterns` out of every form of import, and whatever else `syntax` names. */
function restrictImports(patterns, syntax = []) {
  const inOtherForms = patterns.map(({ regex, message }) => ({
    selector: `:matches(ImportExpression, TSImportType) Literal[value=/${regex.replaceAll("/", "\\/")}/]`,
    message,
  }));
  return {
    "no-restricted-imports": ["error", { patterns }],
    "no-restricted-syntax": ["error", ...inOtherForms, ...syntax],
  };
}

const hostGlobals = [
  "globalThis",
  "global",
  "window",
  "self",
  "console",
  "process",
  "Buffer",
  "require",
  "performance",
  "crypto",
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "queueMicrotask",
  "WebSocket",
  "XMLHttpRequest",
  "localStorage",
  "navigator",
].map((name) => ({
  name,
  message: "This package runs anywhere: no host globals. Take what you need as an argument.",
}));

/** Methods whose answer depends on where the machine stands or which language it is set to. */
const localMethods = [
  ...["getDay", "getDate", "getMonth", "getFullYear", "getHours", "getMinutes", "getSeconds"],
  ...["getTimezoneOffset", "toLocaleString", "toLocaleDateString", "toLocaleTimeString"],
  ...["toLocaleUpperCase", "toLocaleLowerCase", "localeCompare"],
].map((property) => ({
  property,
  message: "The same bytes everywhere: nothing that depends on the machine's time zone or language.",
}));

const pureRules = {
  "no-restricted-globals": ["error", ...hostGlobals],
  "no-restricted-properties": [
    "error",
    { object: "Date", property: "now", message: "No clock here: time comes from events or arguments." },
    { object: "Math", property: "random", message: "No randomness here: results must repeat." },
    ...localMethods,
  ],
};

const pureSyntax = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0], CallExpression[callee.name='Date']",
    message: "No clock here: time comes from events or arguments.",
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length>1]",
    message: "The same bytes everywhere: this reads the parts in the machine's time zone. Use Date.UTC.",
  },
  {
    selector: "ImportExpression",
    message: "No dynamic imports here: what a pure package uses stands at its top.",
  },
];

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/", "**/.turbo/", "**/coverage/"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["vitest.config.ts"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/unbound-method": "off",
      "no-control-regex": "off",
    },
  },
  {
    files: ["**/*.{js,mjs}"],
    languageOptions: {
      globals: {
        AbortController: "readonly",
        console: "readonly",
        performance: "readonly",
        process: "readonly",
        URL: "readonly",
      },
    },
  },
  ...layers.flatMap((layer, index) => {
    const boundaries = [...deepImports, ...laterPackages(index)];
    const sources = { files: [`${layer.dir}/src/**/*.ts`], rules: restrictImports(boundaries) };
    if (!layer.pure) return [sources];
    const pureOnly = layer.impure ? [nodeBuiltIns, nodePart] : [nodeBuiltIns];
    return [
      sources,
      {
        files: layer.pure.map((glob) => `${layer.dir}/${glob}/*.ts`),
        ignores: ["**/*.test.ts", ...(layer.impure ?? []).map((glob) => `${layer.dir}/${glob}/*.ts`)],
        rules: { ...pureRules, ...restrictImports([...boundaries, ...pureOnly], pureSyntax) },
      },
    ];
  }),
);
