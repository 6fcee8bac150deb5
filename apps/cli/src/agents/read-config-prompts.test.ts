import { expect, it } from "vitest";
import { readDefaultPrompt, readReplyFormat } from "./read-config-prompts.ts";

it("the default prompt is personalised, and its origins name files as their packages do", () => {
  const { sections, parameters } = readDefaultPrompt();
  expect(sections.map(({ key }) => key)).toContain("output-formatting");
  expect(sections[0]?.content).toContain("You work for Robin Almeida");
  expect(parameters).toEqual({ maxOutputTokens: 8192, thinkingBudget: 2048 });
  for (const { origin } of sections) {
    expect(origin?.file).toBe("@promptfold/config-default/prompts/agent-system-prompt.md");
  }
});

it("the reply format is one section", () => {
  expect(readReplyFormat()).toMatchObject([
    {
      key: "output-formatting",
      origin: { file: "@promptfold/config-codemode-tag/prompts/output-formatting.md" },
    },
  ]);
});
