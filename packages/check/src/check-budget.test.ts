import { describe, expect, it } from "vitest";
import { checkPaths } from "./check-paths.ts";
import { writeFolder } from "./testing/write-folder.ts";

async function messages(dir: string): Promise<string[]> {
  const { findings } = await checkPaths([dir]);
  return findings.map(({ file, severity, code, message }) =>
    `${file}: ${severity} ${code}: ${message}`.replaceAll(`${dir}/`, ""),
  );
}

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
