import { describe, expect, it } from "vitest";
import { inputTypes } from "./input-types.ts";
import { inputDeclarations } from "./metadata.ts";
import { parsePromptFile } from "./prompt-file.ts";

describe("inputTypes", () => {
  it("declares what each prompt takes", () => {
    const source = [
      "---",
      "input:",
      "  - name: question",
      "    description: What to find out */ as one question.",
      "  - { name: max_sources, type: integer, default: 8 }",
      "  - { name: loud, type: boolean, required: false }",
      "---",
    ].join("\n");
    const inputs = inputDeclarations(parsePromptFile(source, { file: "p.md" })) ?? [];
    expect(inputTypes([{ name: "research-question", inputs }])).toBe(
      [
        "/** What each prompt takes from its caller. */",
        "export interface PromptInputs {",
        '  "research-question": {',
        "    /** What to find out *\\/ as one question. */",
        "    question: string;",
        "    /** 8 unless given. */",
        "    max_sources?: number;",
        "    loud?: boolean;",
        "  };",
        "}",
        "",
      ].join("\n"),
    );
  });
});
