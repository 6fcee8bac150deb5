import {
  type Bindings,
  createFieldLocator,
  createNameHints,
  diagnosePromptSections,
  type PromptFile,
  tokenBudget,
} from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";
import type { TokenCounter } from "./count-tokens.ts";

/** Checks what a prompt or a template weighs, tags not counted, against the budgets that its frontmatter sets. */
export function checkBudget(
  run: CheckRun,
  { file: prompt, what }: { readonly file: PromptFile; readonly what: "prompt" | "template" },
  bindings: Bindings,
  countTokens: TokenCounter,
): void {
  const budget = tokenBudget(prompt.metadata);
  const { sections } = diagnosePromptSections(prompt, bindings, { fallbackKey: "text outside sections" });
  const locateField = createFieldLocator(prompt);
  const at = (...path: string[]) => ({ file: prompt.file, ...locateField(["budget_tokens", ...path]) });
  const report = (message: string, ...path: string[]): void => {
    run.report({
      code: "over-budget",
      severity: "error",
      message: `${message}; shorten it or raise the budget`,
      ...at(...path),
    });
  };
  let total = 0;
  const perSection = new Map(Object.entries(budget.sections ?? {}));
  const unused = new Set(perSection.keys());
  for (const { key, content, origin } of sections) {
    const weight = countTokens(content);
    total += weight;
    const limit = perSection.get(key) ?? budget.section;
    unused.delete(key);
    if (limit === undefined || weight <= limit) continue;
    const message = `section "${key}" (${origin.file}:${origin.line}) has ${weight} tokens, its budget is ${limit}`;
    report(message, ...(perSection.has(key) ? ["sections", key] : ["section"]));
  }
  if (budget.file !== undefined && total > budget.file) {
    report(`the ${what} has ${total} tokens, its budget is ${budget.file}`, "file");
  }
  const nearest = createNameHints(() => new Set(sections.map((section) => section.key)));
  for (const key of unused) {
    const near = nearest(key);
    const advice = near === undefined ? "correct its key" : `did you mean ${near}?`;
    const message = `there is a budget for section "${key}" and no such section; ${advice}`;
    run.report({ code: "unknown-metadata", severity: "warning", message, ...at("sections", key) });
  }
}
