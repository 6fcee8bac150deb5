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

  it("writes what hides text from a reader as codes", () => {
    const inputs = [{ name: "a", type: "string", required: true, description: "x\u202e y\u0007" }] as const;
    expect(inputTypes([{ name: "p\u202e", inputs }])).toContain(
      '  "p\\u202e": {\n    /** x\\u202e y\\u0007 */\n    a: string;\n',
    );
  });

  it("declares each input once, and optional with a default, whatever it is handed", () => {
    const twice = parsePromptFile("---\ninput: [{ name: a }, { name: a }]\n---\n", { file: "p.md" });
    expect(() => inputDeclarations(twice)).toThrow(
      /^p\.md:2:22: the frontmatter's input\.1 has the name "a", which input\.0 has too/,
    );
    const inputs = [{ name: "d", type: "string", required: true, default: "x" }] as const;
    expect(inputTypes([{ name: "p", inputs }])).toContain('/** "x" unless given. */\n    d?: string;');
  });
});
