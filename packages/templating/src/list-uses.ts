import { compileTemplate } from "./compile-template.ts";
import { asTemplate, type PromptFile } from "./prompt-file.ts";
import { type Bindings, diagnoseVariables, type Tier } from "./variables.ts";

/** One placeholder that an author wrote, and what it stands for; without `tier` nothing is bound to its name. */
export interface VariableUse {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly tier?: Tier;
  /** The value; for a template absent, since it is text and not a value. */
  readonly value?: string;
  readonly derivedFrom?: string;
  /** For a name that nothing is bound to: some of the text after it, which may tell what was meant; absent after `${name}`. */
  readonly after?: string;
}

/** Enough of the text after a name to tell what else was meant. */
const LONGEST_AFTER = 100;

/**
 * Every placeholder of a prompt and of the templates it uses, each file once, in the order they are reached. Variables at
 * fault, such as a declared input that nobody gave, are placeholders that nothing is bound to.
 *
 * @throws InvalidMetadataError, and what reading a template throws
 */
export function listUses(file: PromptFile, bindings: Bindings): VariableUse[] {
  const { variables } = diagnoseVariables(file, bindings);
  const uses: VariableUse[] = [];
  const files = [file];
  const reached = new Set<string>();
  for (const source of files) {
    for (const { name, raw, start } of compileTemplate(source.body)) {
      if (name === undefined) continue;
      const place = { name, file: source.file, ...source.locate(source.bodyStart + start) };
      const variable = variables.get(name);
      if (variable !== undefined) {
        const { value, tier, derivedFrom } = variable;
        uses.push({ ...place, tier, value, ...(derivedFrom === undefined ? {} : { derivedFrom }) });
        continue;
      }
      const template = bindings.templates?.get(name);
      const end = start + raw.length;
      const after = raw.endsWith("}") ? "" : source.body.slice(end, end + LONGEST_AFTER);
      if (template !== undefined) uses.push({ ...place, tier: "template" });
      else uses.push(after === "" ? place : { ...place, after });
      if (template === undefined || reached.has(name)) continue;
      reached.add(name);
      files.push(asTemplate(template));
    }
  }
  return uses;
}
