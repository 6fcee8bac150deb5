import { describe, expect, it } from "vitest";
import { findFaults, identityFile } from "./testing/find-faults.ts";

describe("a name that no prompt can write", () => {
  const files = {
    "templates/preferred-name.md": "T",
    ...identityFile({ "e-mail": "a@x", c: { "first name": "A" } }),
  };
  const template = "rename the template preferred-name.md to preferred_name.md";
  const mail = 'rename "e-mail" in identity to "e_mail"';
  const name = 'rename "first name" in identity.c to "first_name"';

  it("is told once, where a prompt tries to use it", async () => {
    const undefinedOne = (place: string, what: string, remedy: string): string =>
      `prompts/a.md:${place} error undefined-variable: $${what} is not defined; ${remedy}`;
    expect(await findFaults({ ...files, "prompts/a.md": "$preferred_name $e_mail $c_first_name" })).toEqual([
      undefinedOne("1:1", "preferred_name", template),
      undefinedOne("1:17", "e_mail", mail),
      undefinedOne("1:25", "c_first_name", name),
    ]);
    expect(await findFaults({ ...files, "prompts/a.md": "$preferred-name $e-mail $c_first name" })).toEqual([
      undefinedOne("1:1", "preferred", `${template}, and write $preferred_name`),
      undefinedOne("1:17", "e", `${mail}, and write $e_mail`),
      undefinedOne("1:25", "c_first", `${name}, and write $c_first_name`),
    ]);
    expect(
      await findFaults({ ...files, "prompts/a.md": "${preferred-name} ${e-mail} ${c_first name}" }),
    ).toEqual(
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
    expect(await findFaults({ ...files, "prompts/a.md": "a" })).toEqual([
      `config/journal.json:1:14 warning unusable-name: no prompt can write $e-mail, ${rule}; ${mail}`,
      `config/journal.json:1:34 warning unusable-name: no prompt can write $c_first name, ${rule}; ${name}`,
      `templates/preferred-name.md:1:1 warning unusable-name: no prompt can write $preferred-name, ${rule}; ${template}`,
    ]);
  });

  it("that is taken, or has no letter, is for the author to find", async () => {
    const all = await findFaults({
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
    const files = identityFile({ preferred: "Ada", pronouns: { subject: "she" } });
    const text = "$Prefered $prefered $Pronouns_subjct $day_yyyymmdd";
    const all = await findFaults({ ...files, "prompts/a.md": text });
    expect(all.map((line) => line.replace(/.*; /, ""))).toEqual([
      "did you mean $Preferred?",
      "did you mean $preferred?",
      "did you mean $Pronouns_subject?",
      "did you mean $day_YYYYMMDD?",
    ]);
  });

  it("says of what is null that it is", async () => {
    const files = identityFile({ name: null, deep: { er: null } });
    const all = await findFaults({ ...files, "prompts/a.md": "$name $Name $deep_er" });
    const empty = (field: string): string =>
      `identity.${field} is null, which counts as not given; give it a value`;
    expect(all.map((line) => line.replace(/.*defined; /, ""))).toEqual([
      empty("name"),
      empty("name"),
      empty("deep.er"),
    ]);
  });
});
