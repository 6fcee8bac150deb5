import {
  CONTEXT_NAMES,
  createFieldLocator,
  explainUnusableName,
  type PromptFile,
  unusableNames,
} from "@promptfold/templating";
import { checkFrontmatter } from "./check-frontmatter.ts";
import { checkText, checkWeight, type Surroundings } from "./check-prompt.ts";
import type { CheckRun } from "./check-run.ts";
import type { FindingCode } from "./finding.ts";

/**
 * Checks the templates of a folder, after the prompts: each by the same rules, be it used or not. Of those that no prompt
 * uses it is told when all prompts were checked.
 *
 * @param options - `whole`: whether these were all prompts of the folder; `areAllRead`: whether each could be read
 */
export async function checkTemplates(
  run: CheckRun,
  surroundings: Surroundings,
  { whole, areAllRead }: { readonly whole: boolean; readonly areAllRead: boolean },
): Promise<void> {
  const { templates, named } = surroundings;
  if (templates === undefined) return;
  // What cannot be read may use a template all the same.
  const isUseKnown = areAllRead && templates.unreadable.size === 0;
  const used = new Set(templates.used);
  const { identity, context } = surroundings;
  const unusable = new Map(
    unusableNames({ identity, context, templates: templates.keys() })
      .filter(({ field }) => field === undefined)
      .map((one) => [one.name, one]),
  );
  for (const [name, path] of templates.paths) {
    const warn = (code: FindingCode, message: string): void => {
      run.report({ code, severity: "warning", message, file: path, line: 1, column: 1 });
    };
    if (!whole && !used.has(name) && !named.has(name)) continue;
    const fault = unusable.get(name);
    const hiddenBy = tellHidden(name, surroundings);
    if (fault !== undefined) {
      if (!surroundings.toldUnusable.has(name)) warn("unusable-name", explainUnusableName(fault));
    } else if (hiddenBy !== undefined)
      warn("hidden-template", `${hiddenBy}, which hides this template; rename it`);
    else if (!used.has(name) && isUseKnown)
      warn("unused-template", `no prompt uses $${name}; use it or remove the file`);
    if (!whole && !used.has(name)) continue;
    const template = run.readPrompt(path);
    if (template !== undefined) await checkTemplate(run, template, surroundings, used.has(name));
  }
}

/** Who gives the value that a template's name stands for instead; undefined when nobody does. */
function tellHidden(name: string, { given, context }: Surroundings): string | undefined {
  if (context.includes(name)) return `the caller gives $${name}`;
  if (given.has(name)) return `the identity gives $${name}`;
  return CONTEXT_NAMES.has(name) ? `$${name} is given when a prompt runs` : undefined;
}

/** Fields that say something of a prompt, and that nobody reads in a template. */
const PROMPT_FIELDS = ["schedule", "tier", "tools", "max_output_tokens", "thinking_budget", "input"];

async function checkTemplate(
  run: CheckRun,
  template: PromptFile,
  surroundings: Surroundings,
  isUsed: boolean,
): Promise<void> {
  checkFrontmatter(run, template);
  const locateField = createFieldLocator(template);
  for (const field of PROMPT_FIELDS.filter((one) => Object.hasOwn(template.metadata, one))) {
    const message = `${field} means nothing in a template; move it to the prompts that use the template`;
    const place = { file: template.file, ...locateField(field) };
    run.report({ code: "unknown-metadata", severity: "warning", message, ...place });
  }
  const metadata = Object.fromEntries(
    Object.entries(template.metadata).filter(([field]) => !PROMPT_FIELDS.includes(field)),
  );
  const text = { ...template, metadata };
  // What is used is checked where it is used.
  if (!isUsed) checkText(run, text, surroundings);
  await checkWeight(run, text, surroundings, "template");
}
