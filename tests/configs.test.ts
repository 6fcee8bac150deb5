import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listPrompts, loadPromptSections } from "@promptfold/templating/node";
import { describe, expect, test } from "vitest";
import { root } from "./list-packages.ts";

const defaults = join(root, "configs", "default");
const codemodeTag = join(root, "configs", "codemode-tag");

const promptNames = (config: string): string[] => readdirSync(join(config, "prompts")).sort();

const everyPrompt = [defaults, codemodeTag].flatMap((config) =>
  promptNames(config).map(
    (name) => [`${config.slice(root.length + 1)}/prompts/${name}`, config, name] as const,
  ),
);

/** Something for every variable that a caller hands to a prompt or a template. */
const context = {
  day: "Friday, January 24, 2026",
  day_YYYYMMDD: "20260124",
  now: "Friday, January 24, 2026 at 10:30 AM WET",
  segment: "143022_300",
  segment_start: "2:30 PM",
  segment_end: "2:35 PM",
  facet: "work",
  activity_md_dir: "20260124/143022_300/",
  activity_id: "a-1",
  activity_type: "meeting",
  activity_description: "planning the release",
  activity_level: "high",
  activity_entities: "the library, its users",
  activity_segments: "143022_300,143522_300",
  activity_duration: 25,
  question: "Why is the build slow?",
  max_sources: 8,
};

/** A prompt of a configuration as sections, personalised as the agents there are. */
function loadSections(config: string, name: string): readonly { key: string; content: string }[] {
  const templatesDir = join(config, "templates");
  const options = {
    baseDir: join(config, "prompts"),
    context,
    fallbackKey: "untagged",
    ...(existsSync(templatesDir) ? { templatesDir } : {}),
    ...(config === defaults ? { identity: readIdentity() } : {}),
  };
  return loadPromptSections(name, options).sections;
}

function readIdentity(): Record<string, unknown> {
  const journal = readFileSync(join(defaults, "config", "journal.json"), "utf8");
  return (JSON.parse(journal) as { identity: Record<string, unknown> }).identity;
}

const loadKeys = (config: string, name: string): string[] => loadSections(config, name).map(({ key }) => key);

test("the default system prompt has the sections that everything else relies on, output-formatting among them", () => {
  expect(loadKeys(defaults, "agent-system-prompt")).toEqual([
    "identity",
    "output-formatting",
    "summary-instruction",
    "workspace",
    "finding-working-code",
    "capability-tour",
    "shape-of-work",
    "other-agents",
    "gotchas",
  ]);
});

test("the codemode-tag configuration is one section: output-formatting", () => {
  expect(promptNames(codemodeTag)).toEqual(["output-formatting.md"]);
  expect(loadKeys(codemodeTag, "output-formatting")).toEqual(["output-formatting"]);
});

test("the default prompts are of every kind, and none is unreadable", () => {
  const { prompts, problems } = listPrompts(join(defaults, "prompts"));
  expect(problems).toEqual([]);
  expect(prompts.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
    "activity-report: generator",
    "agent-system-prompt: agent",
    "daily-review: generator",
    "research-question: agent",
    "segment-notes: generator",
  ]);
});

describe.each(everyPrompt)("%s", (_, config, name) => {
  test("repeats no key", () => {
    const keys = loadKeys(config, name);
    expect(keys).toEqual([...new Set(keys)]);
  });

  test("leaves no placeholder and no blank section behind", () => {
    for (const { key, content } of loadSections(config, name)) {
      expect(content.match(/\$\{?[A-Za-z_]\w*\}?/g), key).toBeNull();
      expect(content, key).not.toBe("");
    }
  });
});

test("only output-formatting depends on the reply format", () => {
  for (const { key, content } of loadSections(defaults, "agent-system-prompt")) {
    expect({ key, namesFormat: /```|codemode|fenced/.test(content) }).toEqual({
      key,
      namesFormat: key === "output-formatting",
    });
  }
});

test.each(["default", "codemode-tag"])(
  "the commands that the README of %s names work where it says",
  (name) => {
    const folder = join(root, "configs", name);
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const commands = [...readme.matchAll(/`npx promptfold ([^`]+)`/g)].map(([, command = ""]) => command);
    expect(commands).toContain(`check configs/${name}`);
    expect(readme).toContain("`npm run check`");
    const program = join(root, "apps", "cli", "bin", "promptfold.js");
    // What is said of a folder like this one holds for this one.
    for (const command of commands) {
      const cwd = command.endsWith(" .") ? folder : root;
      const { status, stdout } = spawnSync(process.execPath, [program, ...command.split(" ")], {
        cwd,
        encoding: "utf8",
      });
      expect({ command, status }).toEqual({ command, status: 0 });
      expect(stdout).toMatch(/: nothing found\n$/);
    }
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    expect(scripts["check"]).toBe("promptfold-check .");
  },
);
