import { describe, expect, it } from "vitest";
import { checkPaths } from "./check-paths.ts";
import { writeFolder } from "./testing/write-folder.ts";

async function messages(dir: string): Promise<string[]> {
  const { findings } = await checkPaths([dir]);
  return findings.map(({ file, severity, code, message }) =>
    `${file}: ${severity} ${code}: ${message}`.replaceAll(`${dir}/`, ""),
  );
}

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
