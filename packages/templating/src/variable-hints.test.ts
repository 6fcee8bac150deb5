import { expect, it } from "vitest";
import { createVariableHints } from "./variable-hints.ts";
import { unusableNames } from "./unusable-names.ts";

const identity = { "e-mail": "a@x", "e-mail 2": "b@x", name: null, preferred: "Ada" };

it("tells what was meant: what is null, what cannot be written, the nearest name", () => {
  const templates = new Map([["about-me", 1]]).keys();
  const { isDefined, hint, hintInBraces } = createVariableHints({ identity, templates });
  const write = 'rename "e-mail" in identity to "e_mail", and write $e_mail';
  expect(isDefined("Preferred")).toBe(true);
  expect(hint("preferred")).toBeUndefined();
  expect(hint("Name")?.remedy).toBe("identity.name is null, which counts as not given; give it a value");
  expect(hint("about_me")).toMatchObject({ unusable: { name: "about-me", usable: "about_me" } });
  expect(hint("e", "-mail, please")?.remedy).toBe(write);
  expect(hint("e", "-mail 2")?.unusable?.name).toBe("e-mail 2");
  expect(hint("e", "-mails")).toBeUndefined();
  expect(hintInBraces("e-mail")?.remedy).toBe(write);
  expect(hintInBraces("constructor")).toBeUndefined();
  expect(hint("prefered")).toEqual({ near: "preferred", remedy: "did you mean $preferred?" });
  expect(hint("zebra")).toBeUndefined();
});

it("never hints at a name that cannot be written", () => {
  const hints = createVariableHints({
    templates: ["preferred-name"],
    context: ["zed-"],
    identity: { "zeb ra": 1 },
  });
  for (const name of ["preferredname", "zedd", "zebrra"]) expect(hints.hint(name)).toBeUndefined();
});

it("finds the key at fault, however deep, and a name for it when there is one", () => {
  const found = unusableNames({
    identity: { "a b": { c: { d: 1 }, e: 2 }, f: { "2g": 3, "h.i": 4 }, "9": 5, "-": 6, __proto__: null },
  });
  expect(found.map(({ name, field, usable }) => [name, field?.join("/"), usable])).toEqual([
    ["9", "9", "_9"],
    ["a b_c_d", "a b", "a_b_c_d"],
    ["a b_e", "a b", "a_b_e"],
    ["f_h.i", "f/h.i", "f_h_i"],
    ["-", "-", undefined],
  ]);
});

it("is told of many names in bounded time", () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`x-${index}`, index]));
  const { hint } = createVariableHints({ identity: many });
  for (let index = 0; index < 20_000; index += 1)
    expect(hint("x", `-${index}${" y".repeat(100)}`)?.unusable?.name).toBe(`x-${index}`);
});

it("never proposes a name that another source gives", () => {
  const sources = { identity: { "my-note": 1, "day-": 1, "e-mail": 1, "x-y": 1 }, inputs: [{ name: "x_y" }] };
  const found = unusableNames({ ...sources, templates: ["my_note", "a b"], context: ["e_mail", "a_b"] });
  expect(found.map(({ name, usable }) => [name, usable])).toEqual([
    ["a b", undefined],
    ["my-note", undefined],
    ["day-", "day_"],
    ["e-mail", undefined],
    ["x-y", undefined],
  ]);
});

it("leads from an object to its fields, and from a way with points to the name", () => {
  const { hint, hintInBraces } = createVariableHints({
    identity: { name: "Ada", pronouns: { subject: "she", object: "her" } },
  });
  const fields = "the identity has it as fields: write $pronouns_subject, $pronouns_object";
  expect(hint("pronouns", " and so on")?.remedy).toBe(fields);
  expect(hint("Pronouns", ".")?.remedy).toBe(fields);
  expect(hint("pronouns", ".subject, who")?.remedy).toBe("write ${pronouns_subject}");
  expect(hint("identity_name")?.remedy).toBe("write $name");
  expect(hint("identity", ".name")?.remedy).toBe("write ${name}");
  expect(hintInBraces("pronouns.subject")?.remedy).toBe("write ${pronouns_subject}");
  expect(hintInBraces("identity.pronouns['object']")?.remedy).toBe("write ${pronouns_object}");
  expect(hintInBraces("a.b")).toBeUndefined();
});
