import { describe, expect, it } from "vitest";
import { findFaults, identityFile } from "./testing/find-faults.ts";

describe("a template that a value hides", () => {
  const hides = (name: string, who: string): string =>
    `templates/${name}.md:1:1 warning hidden-template: ${who}, which hides this template; rename it`;
  const files = {
    ...identityFile({ name: "Ada" }),
    "templates/name.md": "T",
    "templates/now.md": "N",
    "templates/topic.md": "O",
    "templates/Name.md": "an explicit template wins over a version of a variable",
    "prompts/a.md": "$name $now $topic $Name",
  };

  it("is told of instead of as unused, for one prompt and for all", async () => {
    const expected = [
      hides("name", "the identity gives $name"),
      hides("now", "$now is given when a prompt runs"),
    ];
    expect(await findFaults(files)).toEqual(expected);
    expect(await findFaults(files, "prompts/a.md")).toEqual(expected);
    expect(await findFaults({ ...files, "prompts/a.md": "$topic $Name" })).toEqual(expected);
    expect(await findFaults({ ...files, "prompts/b.md": "b" }, "prompts/b.md")).toEqual([]);
    expect(await findFaults(files, "", { context: ["topic"] })).toEqual([
      ...expected,
      hides("topic", "the caller gives $topic"),
    ]);
  });

  it("is read where a rendering reads it", async () => {
    const inside = { "templates/now.md": "$nobody", "templates/topic.md": "$somebody" };
    const prompt = "---\ninput: { topic: string }\n---\n$now $topic";
    const all = await findFaults({ ...inside, "prompts/a.md": prompt });
    expect(all.filter((line) => line.includes("undefined-variable"))).toHaveLength(2);
    expect(all.join()).not.toContain("unused");
  });
});

describe("a template", () => {
  const text = "---\nbudget_tokens: 3\ninput: { q: string }\n---\none two three four $q";
  const countTokens = (words: string): number => words.split(/\s+/).length;
  const own = [
    "templates/t.md:2:1 error over-budget: the template has 5 tokens, its budget is 3; shorten it or raise the budget",
    "templates/t.md:3:1 warning unknown-metadata: input means nothing in a template; move it to the prompts that use the template",
  ];
  const undefinedIn = (where: string): string =>
    `templates/t.md:5:20 error undefined-variable: $q is not defined; declare q under input of ${where}, add it to identity, or create templates/q.md`;

  it("is checked by the same rules, used or not", async () => {
    expect(await findFaults({ "prompts/a.md": "$t", "templates/t.md": text }, "", { countTokens })).toEqual([
      ...own,
      undefinedIn("prompts/a.md"),
    ]);
    expect(await findFaults({ "prompts/a.md": "a", "templates/t.md": text }, "", { countTokens })).toEqual([
      "templates/t.md:1:1 warning unused-template: no prompt uses $t; use it or remove the file",
      ...own,
      undefinedIn("the prompts that use this template"),
    ]);
  });

  it("names the prompts that use it and do not declare its variables", async () => {
    const files = {
      "prompts/a.md": "$t",
      "prompts/b.md": "---\ninput: { q: string }\n---\n$t",
      "prompts/c.md": "$u",
      "templates/t.md": "$q",
      "templates/u.md": "$t",
    };
    expect(await findFaults(files)).toEqual([
      undefinedIn("prompts/a.md and prompts/c.md").replace(":5:20", ":1:1"),
    ]);
    const more = Object.fromEntries(["d", "e", "f"].map((name) => [`prompts/${name}.md`, "$t"]));
    expect(await findFaults({ ...files, ...more })).toEqual([
      undefinedIn("the 5 prompts that use this template, such as prompts/a.md").replace(":5:20", ":1:1"),
    ]);
  });

  it("that an input is named like makes the input used", async () => {
    expect(
      await findFaults({ "prompts/a.md": "---\ninput: { t: string }\n---\n$t", "templates/t.md": "T" }),
    ).toEqual([expect.stringContaining("prompts/a.md:2:10 warning filled-input: ") as string]);
  });
});
