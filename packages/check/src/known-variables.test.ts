import { describe, expect, it } from "vitest";
import { findFaults } from "./testing/find-faults.ts";

describe("an input at fault", () => {
  it("is one finding when it was meant as something else", async () => {
    const prompt = "---\ninput: { schema: { topic: string } }\n---\nx";
    expect(await findFaults({ "prompts/a.md": prompt })).toEqual([
      expect.stringContaining("error metadata-type: input.schema has ") as string,
    ]);
  });

  it("hides neither a name that occurs twice nor what nothing defines", async () => {
    const inputs = ["{ name: a, type: numb }", "{ name: b }", "{ name: b }", "c", "{ name: e-f }"];
    const prompt = `---\ninput:\n${inputs.map((one) => `  - ${one}\n`).join("")}---\n$a $b $c $e_f $zebra`;
    const all = await findFaults({ "prompts/a.md": prompt });
    expect(all.map((line) => line.replace(/: .*/, ""))).toEqual([
      "prompts/a.md:3:16 error metadata-type",
      "prompts/a.md:5:5 error metadata-type",
      "prompts/a.md:6:5 error metadata-type",
      "prompts/a.md:7:7 error metadata-type",
      "prompts/a.md:9:15 error undefined-variable",
    ]);
    expect(all[1]).toContain('has the name "b", which input.1 has too');
    expect(await findFaults({ "prompts/a.md": "---\ninput: [{ nmae: q }]\n---\n$q $r" })).toHaveLength(2);
  });
});
