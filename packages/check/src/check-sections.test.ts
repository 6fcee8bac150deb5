import { describe, expect, it } from "vitest";
import { findFaults, identityFile } from "./testing/find-faults.ts";

describe("a key that occurs twice through templates", () => {
  const files = {
    "templates/rules.md": '<section key="rules">\nr\n</section>',
    "templates/style.md": "$rules",
  };

  it("is a fault of each prompt, at its second use", async () => {
    const fault = (name: string): string =>
      `prompts/${name}.md:5:1 error duplicate-key: section "rules" of templates/rules.md:1 comes in twice, through $rules at line 1 and through \${style} here, and an agent would keep only the last; use it once`;
    const twice = '$rules\n<section key="task">\ndo\n</section>\n${style}';
    expect(await findFaults({ ...files, "prompts/a.md": twice, "prompts/b.md": twice })).toEqual([
      fault("a"),
      fault("b"),
    ]);
  });

  it("names the places in a template that brings it in twice", async () => {
    const twice = { "templates/r5.md": "$rules\n\n$style", "prompts/a.md": "$r5" };
    expect(await findFaults({ ...files, ...twice })).toEqual([
      `prompts/a.md:1:1 error duplicate-key: section "rules" of templates/rules.md:1 comes in twice, through $rules at templates/r5.md:1 and through $style at templates/r5.md:3, and an agent would keep only the last; use it once`,
    ]);
    const section = '<section key="a">\nx\n</section>\n';
    expect(await findFaults({ "templates/t.md": section + section, "prompts/a.md": "$t" })).toEqual([
      `prompts/a.md:1:1 error duplicate-key: section "a" of templates/t.md:4 is already defined at templates/t.md:1, and an agent would keep only the last; rename one or join them`,
    ]);
  });

  it("says of a tag that was meant as text how to mention it", async () => {
    const prompt = 'Wrap it in `<section key="a">x</section>`, and end.';
    expect(await findFaults({ "prompts/a.md": prompt })).toEqual([
      `prompts/a.md:1:41 error duplicate-key: text outside sections is already there at line 1, and both would get one key; put it into sections (to mention a section tag in text, write &lt;section)`,
    ]);
  });

  it("names both places when they are two", async () => {
    const other = { "templates/other.md": '\n<section key="rules">\no\n</section>' };
    const tail = "and an agent would keep only the last; rename one or join them";
    const all = await findFaults({
      ...files,
      ...other,
      "prompts/a.md": "$style\n\n$other",
      "prompts/b.md": '<section key="rules">b</section>\n$style',
      "prompts/c.md": '$style\n<section key="rules">c</section>',
    });
    expect(all).toEqual([
      `prompts/a.md:3:1 error duplicate-key: section "rules" of templates/other.md:2 is already defined at templates/rules.md:1, through $style at line 1, ${tail}`,
      `prompts/b.md:2:1 error duplicate-key: section "rules" of templates/rules.md:1 is already defined at line 1, ${tail}`,
      `prompts/c.md:2:1 error duplicate-key: section "rules" is already defined at templates/rules.md:1, through $style at line 1, ${tail}`,
    ]);
  });
});

describe("what is blank by its values", () => {
  it("is told where the identity says so and nobody else may say otherwise", async () => {
    const section = (key: string, text: string): string => `<section key="${key}">\n${text}\n</section>\n`;
    const values = identityFile({ empty: "", blank: " \n", name: "Ada", day: "" });
    const prompt = [
      "---\ninput: { blank: { required: false } }\n---",
      section("a", "$empty"),
      section("b", "$empty ${Empty}"),
      section("c", "$empty $name"),
      section("d", "$day"),
      section("e", "$blank"),
      section("f", "x $empty"),
    ].join("\n");
    expect(await findFaults({ ...values, "prompts/a.md": prompt, "prompts/b.md": "$Empty $blank" })).toEqual([
      expect.stringContaining("prompts/a.md:2:10 warning filled-input: ") as string,
      'prompts/a.md:4:1 warning blank-section: section "a" is blank, since $empty is empty in the identity; write its text or remove it',
      'prompts/a.md:8:1 warning blank-section: section "b" is blank, since $empty and $Empty are empty in the identity; write its text or remove it',
      "prompts/b.md:1:1 warning blank-prompt: the prompt is blank, since $Empty and $blank are empty in the identity; write its text or remove the file",
    ]);
    expect(await findFaults({ ...values, "prompts/a.md": "$empty" }, "", { context: ["empty"] })).toEqual([]);
  });
});
