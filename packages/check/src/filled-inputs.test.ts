import { expect, it } from "vitest";
import { checkPaths } from "./check-paths.ts";
import { writeFolder } from "./testing/write-folder.ts";

async function found(files: Record<string, string>): Promise<string[]> {
  const dir = writeFolder(files);
  const { findings } = await checkPaths([dir]);
  return findings.map(({ file, line, column, severity, code, message }) =>
    `${file}:${line}:${column} ${severity} ${code}: ${message}`.replaceAll(`${dir}/`, ""),
  );
}

const BUDGET = "budget_tokens: 1000\n";

it("tells of an input that the identity or a template fills, and more so with another type", async () => {
  const files = {
    "config/journal.json": JSON.stringify({ identity: { n: "abc", s: "text", free: 1 } }),
    "templates/m.md": "lots of text",
    "templates/t.md": "text",
    "prompts/a.md": `---\n${BUDGET}input: { n: integer, m: integer, s: string, t: string, other: string }\n---\n$n|$m|$s|$t|$other`,
  };
  expect(await found(files)).toEqual([
    'prompts/a.md:3:10 error filled-input: $n must be an integer and is "abc", as identity.n gives it; rename the input or the field, or correct it',
    'prompts/a.md:3:22 error filled-input: $m must be an integer and is "lots of text", as the template of that name gives it; rename the input or the template',
    "prompts/a.md:3:34 warning filled-input: the identity gives $s, and so fills this input when the caller does not, whatever it says of a default; rename one of the two",
    "prompts/a.md:3:45 warning filled-input: the template templates/t.md gives $t, and so fills this input when the caller does not, whatever it says of a default; rename one of the two",
  ]);
});

it("tells of a block in which nothing has a meaning, and of what is not defined below it", async () => {
  const files = { "prompts/a.md": '{\n"task": "classify"\n}\n$zebra' };
  expect(await found(files)).toEqual([
    expect.stringContaining("prompts/a.md:1:1 warning near-frontmatter: this block is read as") as string,
    expect.stringContaining("prompts/a.md:4:1 error undefined-variable: $zebra") as string,
  ]);
});
