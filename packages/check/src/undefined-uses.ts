import type { FilePlace, VariableHint } from "@promptfold/templating";
import type { CheckRun } from "./check-run.ts";

/** A placeholder that nothing defines, in one of the prompts that it comes into. */
interface UndefinedUse {
  readonly name: string;
  /** How it is written. */
  readonly raw: string;
  readonly place: FilePlace;
  /** The file of the prompt. */
  readonly prompt: string;
  readonly hint: VariableHint | undefined;
}

/**
 * What to do about a name that is like no other.
 *
 * @param users - for a name in a template, the prompts that use it, if any
 */
export type AdviseUndefined = (name: string, users: readonly string[] | undefined) => string;

/** Collects the placeholders that nothing defines, so that one in a template is told once, with the prompts that use it. */
export class UndefinedUses {
  readonly #uses = new Map<string, { readonly use: UndefinedUse; readonly prompts: Set<string> }>();

  add(use: UndefinedUse): void {
    const { place, prompt } = use;
    const key = JSON.stringify([place.file, place.line, place.column]);
    const known = this.#uses.get(key);
    if (known === undefined) this.#uses.set(key, { use, prompts: new Set([prompt]) });
    else known.prompts.add(prompt);
  }

  /** @param templates - the files of the templates */
  report(run: CheckRun, advise: AdviseUndefined, templates: ReadonlySet<string>): void {
    for (const { use, prompts } of this.#uses.values()) {
      const { name, raw, place, prompt, hint } = use;
      const isOwn = place.file === prompt && !templates.has(prompt);
      const users = [...prompts].filter((file) => !templates.has(file));
      const remedy = hint?.remedy ?? advise(name, isOwn ? undefined : users);
      run.report({
        code: "undefined-variable",
        severity: "error",
        message: `$${name} is not defined; ${remedy} (for a literal dollar write $$)`,
        ...place,
        endColumn: place.column + raw.length,
      });
    }
  }
}
