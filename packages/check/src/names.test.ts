import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkPaths, type CheckOptions } from "./check-paths.ts";
import { writeFolder } from "./testing/write-folder.ts";

const LITERAL = " (for a literal dollar write $$)";

/** Findings as lines, with the files' names in the folder. */
async function found(
  files: Record<string, string>,
  path = "",
  options: CheckOptions = {},
): Promise<string[]> {
  const dir = writeFolder(files);
  const { findings } = await checkPaths([join(dir, path)], options);
  return findings.map(({ file, line, column, severity, code, message }) =>
    `${file}:${line}:${column} ${severity} ${code}: ${message.replace(LITERAL, "")}`.replaceAll(
      `${dir}/`,
      "",
    ),
  );
}

const config = (identity: Record<string, unknown>): Record<string, string> => ({
  "config/journal.json": JSON.stringify({ identity }),
});

describe("a name that no prompt can write", () => {
  const files = {
    "templates/preferred-name.md": "T",
    ...config({ "e-mail": "a@x", c: { "first name": "A" } }),
  };
  const template = "rename the template preferred-name.md to preferred_name.md";
  const mail = 'rename "e-mail" in identity to "e_mail"';
  const name = 'rename "first name" in identity.c to "first_name"';

  it("is told once, where a prompt tries to use it", async () => {
    const undefinedOne = (place: string, what: string, remedy: string): string =>
      `prompts/a.md:${place} error undefined-variable: $${what} is not defined; ${remedy}`;
    expect(await found({ ...files, "prompts/a.md": "$preferred_name $e_mail $c_first_name" })).toEqual([
      undefinedOne("1:1", "preferred_name", template),
      undefinedOne("1:17", "e_mail", mail),
      undefinedOne("1:25", "c_first_name", name),
    ]);
    expect(await found({ ...files, "prompts/a.md": "$preferred-name $e-mail $c_first name" })).toEqual([
      undefinedOne("1:1", "preferred", `${template}, and write $preferred_name`),
      undefinedOne("1:17", "e", `${mail}, and write $e_mail`),
      undefinedOne("1:25", "c_first", `${name}, and write $c_first_name`),
    ]);
    expect(await found({ ...files, "prompts/a.md": "${preferred-name} ${e-mail} ${c_first name}" })).toEqual(
      [
        ["1:1", "preferred-name", `${template}, and write $preferred_name`],
        ["1:19", "e-mail", `${mail}, and write $e_mail`],
        ["1:29", "c_first name", `${name}, and write $c_first_name`],
      ].map(
        ([place = "", inside = "", remedy = ""]) =>
          `prompts/a.md:${place} warning malformed-placeholder: \${${inside}} is not a placeholder and stays as it is; ${remedy}`,
      ),
    );
  });

  it("is told where it stands, when no prompt tries", async () => {
    const rule = "which is no variable's name (letters, digits and underscores, no digit first)";
    expect(await found({ ...files, "prompts/a.md": "a" })).toEqual([
      `config/journal.json:1:14 warning unusable-name: no prompt can write $e-mail, ${rule}; ${mail}`,
      `config/journal.json:1:34 warning unusable-name: no prompt can write $c_first name, ${rule}; ${name}`,
      `templates/preferred-name.md:1:1 warning unusable-name: no prompt can write $preferred-name, ${rule}; ${template}`,
    ]);
  });

  it("that is taken, or has no letter, is for the author to find", async () => {
    const all = await found({
      "templates/a-b.md": "T",
      "templates/a_b.md": "T",
      "templates/日本.md": "T",
      "templates/2nd.md": "T",
      "prompts/a.md": "$a_b",
    });
    expect(all.map((line) => line.replace(/:.*; /, ": "))).toEqual([
      "templates/2nd.md: rename the template 2nd.md to _2nd.md",
      "templates/a-b.md: rename the template a-b.md to a name of letters, digits and underscores",
      "templates/日本.md: rename the template 日本.md to a name of letters, digits and underscores",
    ]);
  });
});

describe("a hint", () => {
  it("is in the case of what was written", async () => {
    const files = config({ preferred: "Ada", pronouns: { subject: "she" } });
    const text = "$Prefered $prefered $Pronouns_subjct $day_yyyymmdd";
    const all = await found({ ...files, "prompts/a.md": text });
    expect(all.map((line) => line.replace(/.*; /, ""))).toEqual([
      "did you mean $Preferred?",
      "did you mean $preferred?",
      "did you mean $Pronouns_subject?",
      "did you mean $day_YYYYMMDD?",
    ]);
  });

  it("says of what is null that it is", async () => {
    const files = config({ name: null, deep: { er: null } });
    const all = await found({ ...files, "prompts/a.md": "$name $Name $deep_er" });
    const empty = (field: string): string =>
      `identity.${field} is null, which counts as not given; give it a value`;
    expect(all.map((line) => line.replace(/.*defined; /, ""))).toEqual([
      empty("name"),
      empty("name"),
      empty("deep.er"),
    ]);
  });
});

describe("a template that a value hides", () => {
  const hides = (name: string, who: string): string =>
    `templates/${name}.md:1:1 warning hidden-template: ${who}, which hides this template; rename it`;
  const files = {
    ...config({ name: "Ada" }),
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
    expect(await found(files)).toEqual(expected);
    expect(await found(files, "prompts/a.md")).toEqual(expected);
    expect(await found({ ...files, "prompts/a.md": "$topic $Name" })).toEqual(expected);
    expect(await found({ ...files, "prompts/b.md": "b" }, "prompts/b.md")).toEqual([]);
    expect(await found(files, "", { context: ["topic"] })).toEqual([
      ...expected,
      hides("topic", "the caller gives $topic"),
    ]);
  });

  it("is read where a rendering reads it", async () => {
    const inside = { "templates/now.md": "$nobody", "templates/topic.md": "$somebody" };
    const prompt = "---\ninput: { topic: string }\n---\n$now $topic";
    const all = await found({ ...inside, "prompts/a.md": prompt });
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
    expect(await found({ "prompts/a.md": "$t", "templates/t.md": text }, "", { countTokens })).toEqual([
      ...own,
      undefinedIn("prompts/a.md"),
    ]);
    expect(await found({ "prompts/a.md": "a", "templates/t.md": text }, "", { countTokens })).toEqual([
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
    expect(await found(files)).toEqual([
      undefinedIn("prompts/a.md and prompts/c.md").replace(":5:20", ":1:1"),
    ]);
    const more = Object.fromEntries(["d", "e", "f"].map((name) => [`prompts/${name}.md`, "$t"]));
    expect(await found({ ...files, ...more })).toEqual([
      undefinedIn("the 5 prompts that use this template, such as prompts/a.md").replace(":5:20", ":1:1"),
    ]);
  });

  it("that an input is named like makes the input used", async () => {
    expect(
      await found({ "prompts/a.md": "---\ninput: { t: string }\n---\n$t", "templates/t.md": "T" }),
    ).toEqual([expect.stringContaining("prompts/a.md:2:10 warning filled-input: ") as string]);
  });
});

describe("a key that occurs twice through templates", () => {
  const files = {
    "templates/rules.md": '<section key="rules">\nr\n</section>',
    "templates/style.md": "$rules",
  };

  it("is a fault of each prompt, at its second use", async () => {
    const fault = (name: string): string =>
      `prompts/${name}.md:5:1 error duplicate-key: section "rules" of templates/rules.md:1 comes in twice, through $rules at line 1 and through \${style} here, and an agent would keep only the last; use it once`;
    const twice = '$rules\n<section key="task">\ndo\n</section>\n${style}';
    expect(await found({ ...files, "prompts/a.md": twice, "prompts/b.md": twice })).toEqual([
      fault("a"),
      fault("b"),
    ]);
  });

  it("names the places in a template that brings it in twice", async () => {
    const twice = { "templates/r5.md": "$rules\n\n$style", "prompts/a.md": "$r5" };
    expect(await found({ ...files, ...twice })).toEqual([
      `prompts/a.md:1:1 error duplicate-key: section "rules" of templates/rules.md:1 comes in twice, through $rules at templates/r5.md:1 and through $style at templates/r5.md:3, and an agent would keep only the last; use it once`,
    ]);
    const section = '<section key="a">\nx\n</section>\n';
    expect(await found({ "templates/t.md": section + section, "prompts/a.md": "$t" })).toEqual([
      `prompts/a.md:1:1 error duplicate-key: section "a" of templates/t.md:4 is already defined at templates/t.md:1, and an agent would keep only the last; rename one or join them`,
    ]);
  });

  it("says of a tag that was meant as text how to mention it", async () => {
    const prompt = 'Wrap it in `<section key="a">x</section>`, and end.';
    expect(await found({ "prompts/a.md": prompt })).toEqual([
      `prompts/a.md:1:41 error duplicate-key: text outside sections is already there at line 1, and both would get one key; put it into sections (to mention a section tag in text, write &lt;section)`,
    ]);
  });

  it("names both places when they are two", async () => {
    const other = { "templates/other.md": '\n<section key="rules">\no\n</section>' };
    const tail = "and an agent would keep only the last; rename one or join them";
    const all = await found({
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

describe("a placeholder that is not closed", () => {
  it("is told with what to write, and code in braces is told as before", async () => {
    const malformed = (column: number, what: string): string =>
      `prompts/a.md:1:${column} warning malformed-placeholder: ${what}`;
    const text = "${preferred and ${ go $${ok ${a $preferred} ${";
    expect(await found({ ...config({ preferred: "Ada" }), "prompts/a.md": text })).toEqual([
      malformed(1, "${preferred is not closed and stays as it is; write ${preferred}"),
      malformed(17, "${ go is not closed and stays as it is; write ${go}"),
      malformed(29, "${a is not closed and stays as it is; write ${a}"),
    ]);
  });
});

describe("what is blank by its values", () => {
  it("is told where the identity says so and nobody else may say otherwise", async () => {
    const section = (key: string, text: string): string => `<section key="${key}">\n${text}\n</section>\n`;
    const values = config({ empty: "", blank: " \n", name: "Ada", day: "" });
    const prompt = [
      "---\ninput: { blank: { required: false } }\n---",
      section("a", "$empty"),
      section("b", "$empty ${Empty}"),
      section("c", "$empty $name"),
      section("d", "$day"),
      section("e", "$blank"),
      section("f", "x $empty"),
    ].join("\n");
    expect(await found({ ...values, "prompts/a.md": prompt, "prompts/b.md": "$Empty $blank" })).toEqual([
      expect.stringContaining("prompts/a.md:2:10 warning filled-input: ") as string,
      'prompts/a.md:4:1 warning blank-section: section "a" is blank, since $empty is empty in the identity; write its text or remove it',
      'prompts/a.md:8:1 warning blank-section: section "b" is blank, since $empty and $Empty are empty in the identity; write its text or remove it',
      "prompts/b.md:1:1 warning blank-prompt: the prompt is blank, since $Empty and $blank are empty in the identity; write its text or remove the file",
    ]);
    expect(await found({ ...values, "prompts/a.md": "$empty" }, "", { context: ["empty"] })).toEqual([]);
  });
});

describe("an input at fault", () => {
  it("is one finding when it was meant as something else", async () => {
    const prompt = "---\ninput: { schema: { topic: string } }\n---\nx";
    expect(await found({ "prompts/a.md": prompt })).toEqual([
      expect.stringContaining("error metadata-type: input.schema has ") as string,
    ]);
  });

  it("hides neither a name that occurs twice nor what nothing defines", async () => {
    const inputs = ["{ name: a, type: numb }", "{ name: b }", "{ name: b }", "c", "{ name: e-f }"];
    const prompt = `---\ninput:\n${inputs.map((one) => `  - ${one}\n`).join("")}---\n$a $b $c $e_f $zebra`;
    const all = await found({ "prompts/a.md": prompt });
    expect(all.map((line) => line.replace(/: .*/, ""))).toEqual([
      "prompts/a.md:3:16 error metadata-type",
      "prompts/a.md:5:5 error metadata-type",
      "prompts/a.md:6:5 error metadata-type",
      "prompts/a.md:7:7 error metadata-type",
      "prompts/a.md:9:15 error undefined-variable",
    ]);
    expect(all[1]).toContain('has the name "b", which input.1 has too');
    expect(await found({ "prompts/a.md": "---\ninput: [{ nmae: q }]\n---\n$q $r" })).toHaveLength(2);
  });
});
