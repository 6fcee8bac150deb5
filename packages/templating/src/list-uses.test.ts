import { describe, expect, it } from "vitest";
import { listUses } from "./list-uses.ts";
import { parsePromptFile } from "./prompt-file.ts";

describe("listUses", () => {
  it("says where every variable is used, and from which tier it comes", () => {
    const file = parsePromptFile("---\ntitle: T\n---\n$name $t\n$Topic ${t} $nobody", { file: "p.md" });
    const templates = new Map([
      ["t", parsePromptFile("\n  by $name, $u", { file: "t.md" })],
      ["u", parsePromptFile("$t", { file: "u.md" })],
    ]);
    const uses = listUses(file, { context: { topic: "roses" }, identity: { name: "Ada" }, templates });
    expect(uses).toEqual([
      { name: "name", file: "p.md", line: 4, column: 1, tier: "identity", value: "Ada" },
      { name: "t", file: "p.md", line: 4, column: 7, tier: "template" },
      {
        name: "Topic",
        file: "p.md",
        line: 5,
        column: 1,
        tier: "context",
        value: "Roses",
        derivedFrom: "topic",
      },
      { name: "t", file: "p.md", line: 5, column: 8, tier: "template" },
      { name: "nobody", file: "p.md", line: 5, column: 13 },
      { name: "name", file: "t.md", line: 2, column: 6, tier: "identity", value: "Ada" },
      { name: "u", file: "t.md", line: 2, column: 13, tier: "template" },
      { name: "t", file: "u.md", line: 1, column: 1, tier: "template" },
    ]);
  });
});
