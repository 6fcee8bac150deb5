/**
 * A prompt of 10 KB with 60 uses of 30 variables: rendered again and again beside Eta and Handlebars, all of them
 * precompiled; read and rendered once beside es6-template and Python's `string.Template`; and its frontmatter read beside
 * js-yaml and a split. `substitute` does what those engines do; `renderPrompt` also resolves the tiers of variables, their
 * uppercase-first versions and templates.
 */
import { parsePromptFile, renderPrompt, substitute } from "@promptfold/templating";
// @ts-expect-error: it comes without types
import untypedEs6Template from "es6-template";
import { Eta } from "eta";
import Handlebars from "handlebars";
import { CORE_SCHEMA, load } from "js-yaml";
import { spawnSync } from "node:child_process";
import { named, printClaims, time, timingOf } from "./measure.mjs";

/** @type {(template: string, values: Record<string, string>) => string} */
const es6template = untypedEs6Template;

const sentence = "A sentence of ordinary length, as people write them into prompts every single day. ";
const names = Array.from({ length: 30 }, (_, index) => `variable_${index}`);
const values = Object.fromEntries(names.map((name, index) => [name, `the value of number ${index}`]));

/**
 * The prompt in the syntax of one engine.
 *
 * @param {(name: string) => string} placeholder
 */
function prompt(placeholder) {
  const uses = [...names, ...names].map((name) => `${sentence}${sentence.slice(0, 60)} ${placeholder(name)}`);
  return uses.join("\n");
}

const text = prompt((name) => `\${${name}}`);

/**
 * A string that was built from parts is joined when somebody first looks inside: look, so that everyone pays for it.
 *
 * @param {string} result
 */
function joined(result) {
  return result.charCodeAt(result.length >> 1);
}

const expected = substitute(text, values);

/** @param {string} result */
function checked(result) {
  if (result !== expected) throw new Error("an engine rendered another text");
}

const eta = new Eta({ autoEscape: false, autoTrim: false });
const etaPrompt = eta.compile(prompt((name) => `<%= it.${name} %>`));
const handlebarsPrompt = Handlebars.compile(
  prompt((name) => `{{${name}}}`),
  { noEscape: true },
);
const file = parsePromptFile(text, { file: "prompt.md" });
const bindings = { context: values };
checked(renderPrompt(file, bindings));
checked(etaPrompt.call(eta, values));
checked(handlebarsPrompt(values));
checked(es6template(text, values));

const warm = time(
  [
    { name: "substitute", run: () => joined(substitute(text, values)) },
    { name: "renderPrompt", run: () => joined(renderPrompt(file, bindings)) },
    { name: "Eta", run: () => joined(etaPrompt.call(eta, values)) },
    { name: "Handlebars", run: () => joined(handlebarsPrompt(values)) },
  ],
  { rounds: 201, warmup: 60, repeat: 200, clock: "cpu" },
);

const coldRuns = 100;
let serial = 0;

/** Texts that nobody has seen, so that no cache knows them, each of them one flat string. */
function freshTexts() {
  const texts = Array.from({ length: coldRuns }, () => `${text}${String((serial += 1)).padStart(9, "0")}`);
  for (const fresh of texts) joined(fresh);
  return texts;
}

/** @param {(fresh: string) => string} render */
function cold(render) {
  const start = process.cpuUsage();
  const texts = freshTexts();
  const begin = process.cpuUsage(start);
  for (const fresh of texts) joined(render(fresh));
  const end = process.cpuUsage(start);
  return (end.user + end.system - begin.user - begin.system) / 1000 / coldRuns;
}

const python = `
import json, sys, time
from string import Template
given = json.load(sys.stdin)
runs = []
for round in range(given["runs"] + 50):
    fresh = given["text"] + "%09d" % round
    start = time.process_time_ns()
    Template(fresh).safe_substitute(given["values"])
    runs.append(time.process_time_ns() - start)
runs = sorted(runs[50:])
print(runs[len(runs) // 2])
`;

/** The median milliseconds of one run by Python, which times itself; undefined without Python. */
function pythonMilliseconds() {
  const input = JSON.stringify({ text, values, runs: coldRuns });
  const { status, stdout } = spawnSync("python3", ["-c", python], { input, encoding: "utf8" });
  return status === 0 ? Number(stdout) / 1e6 : undefined;
}

const coldNames = /** @type {const} */ (["substitute", "parse and renderPrompt", "es6-template", "Python"]);
/** @type {Record<string, number[]>} */
const samples = Object.fromEntries(coldNames.map((name) => [name, []]));
for (let round = -10; round < 31; round++) {
  /** @type {Record<string, number | undefined>} */
  const sample = {
    substitute: cold((fresh) => substitute(fresh, values)),
    "es6-template": cold((fresh) => es6template(fresh, values)),
    "parse and renderPrompt": cold((fresh) =>
      renderPrompt(parsePromptFile(fresh, { file: "prompt.md" }), bindings),
    ),
    Python: round < 0 ? undefined : pythonMilliseconds(),
  };
  if (round < 0) continue;
  for (const name of coldNames) {
    const value = sample[name];
    if (value !== undefined) samples[name]?.push(value);
  }
}

const frontmatter = [
  "title: Daily report",
  "description: What the day was about, written for its owner in the evening",
  "color: '#336699'",
  "schedule: daily",
  "priority: 10",
  "tier: 2",
  "max_output_tokens: 4096",
  "thinking_budget: 2048",
  "labels: [report, day, owner]",
  "budget_tokens:",
  "  file: 4000",
  "  sections:",
  "    identity: 400",
  "    output-formatting: 900",
  "input:",
  "  day:",
  "    type: string",
  "    description: The day that the report is about",
  "  facet:",
  "    type: string",
  "    default: work",
  "",
].join("\n");
const withFrontmatter = `---\n${frontmatter}---\n${text}`;
const reading = time(
  [
    { name: "parsePromptFile", run: () => parsePromptFile(withFrontmatter, { file: "prompt.md" }).metadata },
    {
      name: "js-yaml",
      run: () => load(withFrontmatter.split(/^---\n/m, 3)[1] ?? "", { schema: CORE_SCHEMA }),
    },
  ],
  { rounds: 201, warmup: 100, repeat: 20, clock: "cpu" },
);

console.log(`${text.length.toLocaleString("en")} characters, 60 uses of 30 variables; CPU time of one run`);
printClaims("Rendered again", [
  { claim: "substitute / Eta", ours: named(warm, "substitute"), theirs: named(warm, "Eta"), most: 1.5 },
  {
    claim: "substitute / Handlebars",
    ours: named(warm, "substitute"),
    theirs: named(warm, "Handlebars"),
    most: 0.5,
  },
  { claim: "renderPrompt / Eta", ours: named(warm, "renderPrompt"), theirs: named(warm, "Eta"), most: 1.5 },
  {
    claim: "renderPrompt / Handlebars",
    ours: named(warm, "renderPrompt"),
    theirs: named(warm, "Handlebars"),
    most: 0.5,
  },
]);

const once = (/** @type {string} */ name) => timingOf(samples[name] ?? []);
const hasPython = (samples["Python"] ?? []).length > 0;
if (!hasPython) console.log("\nPython is left out: there is no python3.");
printClaims("Read and rendered once", [
  { claim: "substitute / es6-template", ours: once("substitute"), theirs: once("es6-template"), most: 1.1 },
  {
    claim: "parse and renderPrompt / es6-template",
    ours: once("parse and renderPrompt"),
    theirs: once("es6-template"),
    most: 1.1,
  },
  ...(hasPython
    ? [
        {
          claim: "substitute / string.Template",
          ours: once("substitute"),
          theirs: once("Python"),
          most: 0.6,
        },
        {
          claim: "parse and renderPrompt / string.Template",
          ours: once("parse and renderPrompt"),
          theirs: once("Python"),
          most: 0.6,
        },
      ]
    : []),
]);
printClaims(`Frontmatter of ${frontmatter.length} characters`, [
  {
    claim: "parsePromptFile / js-yaml and a split",
    ours: named(reading, "parsePromptFile"),
    theirs: named(reading, "js-yaml"),
    most: 1.1,
  },
]);
