import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkPaths, type CheckOptions } from "./check-paths.ts";
import { writeFolder } from "./testing/write-folder.ts";

const config = {
  "config/journal.json": '{"identity": {"preferred": "Ada"}}',
  "templates/gardener.md": "You garden.",
  "prompts/week.md": "$gardener $preferred",
};

async function messages(dir: string, path = "", options: CheckOptions = {}): Promise<string[]> {
  const { findings } = await checkPaths([join(dir, path)], options);
  return findings.map(({ file, severity, code, message }) =>
    `${file}: ${severity} ${code}: ${message}`.replaceAll(`${dir}/`, ""),
  );
}

describe("a variable that is not defined", () => {
  it("may be a template to create, where the config folder has them", async () => {
    const literal = "(for a literal dollar write $$)";
    expect(
      await messages(writeFolder({ ...config, "prompts/week.md": "$gardener $weekly_template" })),
    ).toEqual([
      `prompts/week.md: error undefined-variable: $weekly_template is not defined; declare weekly_template under input, add it to identity, or create templates/weekly_template.md ${literal}`,
    ]);
    expect(await messages(writeFolder({ "prompts/week.md": "$zebra" }))).toEqual([
      `prompts/week.md: error undefined-variable: $zebra is not defined; declare zebra under input, add it to identity, or create templates/zebra.md ${literal}`,
    ]);
    expect(await messages(writeFolder({ "loose.md": "$zebra" }))).toEqual([
      `loose.md: error undefined-variable: $zebra is not defined; declare zebra under input or add it to identity ${literal}`,
    ]);
  });

  it("in a file outside prompts/ is told what is not used there", async () => {
    const dir = writeFolder({ ...config, "loose.md": "$preferred", "drafts/deep/a.md": "$gardener" });
    const told = (file: string, name: string, what: string, options: string): string[] => [
      `${file}: error undefined-variable: $${name} is not defined; the file stands outside prompts/, so the ${what} beside that folder are not used; move it there, or give ${options} (for a literal dollar write $$)`,
    ];
    const both = "--identity and --templates";
    expect(await messages(dir, "loose.md")).toEqual(
      told("loose.md", "preferred", "identity and templates", both),
    );
    for (const path of ["drafts", "drafts/deep", "drafts/deep/a.md"])
      expect(await messages(dir, path)).toEqual(
        told("drafts/deep/a.md", "gardener", "identity and templates", both),
      );
    const journalPath = join(dir, "config/journal.json");
    expect(await messages(dir, "loose.md", { journalPath })).toEqual([]);
    expect(await messages(dir, "drafts", { journalPath })).toEqual(
      told("drafts/deep/a.md", "gardener", "templates", "--templates"),
    );
    expect(await messages(dir, "drafts", { journalPath, templatesDir: join(dir, "templates") })).toEqual([]);
  });

  it("is told so from within the folder too", async () => {
    const dir = writeFolder({ ...config, "drafts/a.md": "$preferred" });
    const before = process.cwd();
    process.chdir(join(dir, "drafts"));
    try {
      const { findings } = await checkPaths(["a.md"]);
      expect(findings[0]?.message).toContain(`stands outside ${join("..", "prompts")}/, so`);
    } finally {
      process.chdir(before);
    }
  });
});
