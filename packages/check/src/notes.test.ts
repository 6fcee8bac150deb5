import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { checkPaths, type CheckOptions } from "./check-paths.ts";
import { main } from "./main.ts";
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

describe("a budget for a section that is not there", () => {
  it("names the nearest", async () => {
    const prompt = (key: string): string =>
      `---\nbudget_tokens: { sections: { ${key}: 9 } }\n---\n<section key="style">\nx\n</section>`;
    expect(await messages(writeFolder({ "prompts/a.md": prompt("stle") }))).toEqual([
      'prompts/a.md: warning unknown-metadata: there is a budget for section "stle" and no such section; did you mean style?',
    ]);
    expect(await messages(writeFolder({ "prompts/a.md": prompt("zebra") }))).toEqual([
      'prompts/a.md: warning unknown-metadata: there is a budget for section "zebra" and no such section; correct its key',
    ]);
  });
});

describe("a prompt that says nothing", () => {
  it("is warned of, and a template or a template's only user is not", async () => {
    const dir = writeFolder({
      "prompts/a.md": "",
      "prompts/b.md": "---\ntitle: T\n---\n\n \n",
      "prompts/c.md": "$empty",
      "templates/empty.md": "",
    });
    const blank = "warning blank-prompt: the prompt is blank; write its text or remove the file";
    expect(await messages(dir)).toEqual([`prompts/a.md: ${blank}`, `prompts/b.md: ${blank}`]);
  });

  it("is not one that is no text, which is told with its place", async () => {
    const dir = writeFolder({ "prompts/a.md": "ok\nb\0\0", "prompts/b.md": "$t", "templates/t.md": "\0" });
    const { findings } = await checkPaths([dir]);
    expect(
      findings.map(({ file, line, column, code }) => [file.slice(dir.length + 1), line, column, code]),
    ).toEqual([
      ["prompts/a.md", 2, 2, "null-character"],
      ["templates/t.md", 1, 1, "null-character"],
    ]);
  });
});

class Output {
  out = "";
  err = "";

  run(
    args: readonly string[],
    onWrite: (output: Output) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<number> {
    return main(args, {
      stdin: Readable.from([]),
      stdout: {
        write: (text) => {
          this.out += text;
        },
      },
      stderr: {
        write: (text) => {
          this.err += text;
          onWrite(this);
        },
      },
      env: {},
      signal,
    });
  }
}

describe("standard error", () => {
  it("names what reads like a prompt outside prompts/, and was not checked", async () => {
    const dir = writeFolder({
      ...config,
      "loose.md": "Write to $preferred.",
      "preview.md": "Write to Ada, $5.",
      "shell.md": "echo $HOME",
      "README.md": "Use $gardener.",
      "Readme.md": "Use $gardener.",
      "notes/other.md": "$preferred",
    });
    const output = new Output();
    expect(await output.run([dir])).toBe(0);
    expect(output.out).toBe("3 files checked: nothing found\n");
    expect(output.err).toBe(
      `note: ${join(dir, "loose.md")} names variables as a prompt does, and was not checked: it stands outside prompts/; move it there if it is one\n`,
    );
    const named = new Output();
    await named.run([dir, join(dir, "loose.md")]);
    expect(named.err).toBe("");
  });

  it("tells of a check without annotations that it was made", async () => {
    const clean = new Output();
    await clean.run([writeFolder(config), "--format", "github"]);
    expect(clean).toMatchObject({ out: "", err: "3 files checked: nothing found\n" });
    const faulty = new Output();
    await faulty.run([writeFolder({ "prompts/a.md": "$x" }), "--format", "github"]);
    expect(faulty.out).toMatch(/^::error .*\n$/);
    expect(faulty.err).toBe("");
  });

  it("separates one check of a watch from the next", async () => {
    const dir = writeFolder(config);
    const output = new Output();
    const end = new AbortController();
    let written = false;
    const watching = output.run(
      [dir, "--watch"],
      ({ err }) => {
        if (err.split("watching for changes").length === 3) end.abort();
        if (written || !err.includes("watching for changes")) return;
        written = true;
        writeFileSync(join(dir, "prompts/week.md"), "$gardener for $preferred");
      },
      end.signal,
    );
    expect(await watching).toBe(0);
    expect(output.err).toBe("watching for changes\n── changed ──\nwatching for changes\n");
  });
});
