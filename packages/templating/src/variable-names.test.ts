import { expect, it } from "vitest";
import { variableNames } from "./variable-names.ts";

it("gives the names of every source, with their uppercase-first versions, faulty fields included", () => {
  const names = variableNames({
    identity: { pronouns: { subject: "they" }, odd: [{}], "e-mail": "a@x" },
    context: ["mood", "mo od"],
    inputs: [{ name: "topic" }],
  });
  for (const name of ["pronouns_subject", "Pronouns_subject", "odd", "mood", "Mood", "topic", "Topic", "day"])
    expect(names).toContain(name);
  for (const name of ["toString", "e-mail", "E-mail", "mo od"]) expect(names).not.toContain(name);
  expect(variableNames({})).toContain("Day_yyyymmdd");
});
