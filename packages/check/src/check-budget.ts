import {
  type Bindings,
  createNameHints,
  diagnosePromptSections,
  locateField,
  type PromptFile,
  tokenBudget,
} from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";
import type { TokenCounter } from "./count-tokens.ts";

/** Checks what a prompt weighs, tags not counted, against the budgets that its frontmatter sets. */
export function checkBudget(
  run: CheckRun,
  prompt: PromptFile,
  bindings: Bindings,
  countTokens: TokenCounter,
): void {
  const budget = tokenBudget(prompt.metadata);
  const { sections } = diagnosePromptSections(prompt, bindings, { fallbackKey: "text outside sections" });
  const place = { file: prompt.file, ...locateField(prompt, "budget_tokens") };
  const report = (message: string): void => {
    run.report({
      code: "over-budget",
      severity: "error",
      message: `${message}; shorten it or raise the budget`,
      ...place,
    });
  };
  let total = 0;
  const perSection = new Map(Object.entries(budget.sections ?? {}));
  for (const { key, content, origin } of sections) {
    const weight = countTokens(content);
    total += weight;
    const limit = perSection.get(key) ?? budget.section;
    perSection.delete(key);
    if (limit === undefined || weight <= limit) continue;
    report(`section "${key}" (${origin.file}:${origin.line}) has ${weight} tokens, its budget is ${limit}`);
  }
  if (budget.file !== undefined && total > budget.file) {
    report(`the prompt has ${total} tokens, its budget is ${budget.file}`);
  }
  const nearest = createNameHints(() => new Set(sections.map((section) => section.key)));
  for (const key of perSection.keys()) {
    const near = nearest(key);
    const advice = near === undefined ? "correct its key" : `did you mean ${near}?`;
    const message = `there is a budget for section "${key}" and no such section; ${advice}`;
    run.report({ code: "unknown-metadata", severity: "warning", message, ...place });
  }
}
