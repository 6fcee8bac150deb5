import { explainUnusableName, flattenIdentity, unusableNames } from "@promptfold/templating";
import { adviseUndefined } from "./advise-undefined.ts";
import { checkPrompt, createSurroundings } from "./check-prompt.ts";
import { CheckRun } from "./check-run.ts";
import { checkTemplates } from "./check-templates.ts";
import type { TokenCounter } from "./count-tokens.ts";
import { findPrompts, type PlaceOptions, type PromptGroup } from "./find-prompts.ts";
import { findStrays } from "./find-strays.ts";
import type { CheckResult } from "./finding.ts";
import { readIdentity } from "./read-identity.ts";
import { readFolderTemplates } from "./read-folder-templates.ts";

/** How to check. */
export interface CheckOptions extends PlaceOptions {
  /** Names of variables that the caller passes besides those of the context builders. */
  readonly context?: Iterable<string> | undefined;
  /** Counts tokens for budgets; the o200k vocabulary unless given. */
  readonly countTokens?: TokenCounter | undefined;
  /** Prompts that stand in no file, as UTF-8, by the name that findings give them. */
  readonly texts?: ReadonlyMap<string, Uint8Array> | undefined;
}

/**
 * Checks prompt files, folders of them, and config folders, and reports everything that is found in the author's files
 * and lines. Nothing is written.
 *
 * @throws CheckPathError when a path is not there, cannot be read or holds no prompt
 */
export async function checkPaths(paths: readonly string[], options: CheckOptions = {}): Promise<CheckResult> {
  const groups = [...findPrompts(paths, options), ...textGroup(options)];
  const run = new CheckRun(
    options.texts,
    [...paths, options.journalPath].filter((path) => path !== undefined),
  );
  const named = new Set(groups.flatMap(({ prompts }) => prompts));
  for (const group of groups) {
    const beside = group.beside.filter((path) => !named.has(path));
    await checkGroup(run, { ...group, beside }, options);
  }
  const { sources, notes } = run;
  return { files: [...sources.keys()], findings: run.findings(), sources, notes };
}

/** What stands in no file has nothing beside it. */
function textGroup({ texts = new Map(), templatesDir, journalPath }: CheckOptions): PromptGroup[] {
  if (texts.size === 0) return [];
  return [{ prompts: [...texts.keys()], whole: false, beside: [], templatesDir, journalPath }];
}

async function checkGroup(run: CheckRun, group: PromptGroup, options: CheckOptions): Promise<void> {
  const templates =
    group.templatesDir === undefined ? undefined : readFolderTemplates(run, group.templatesDir);
  const { identity, misplaced, locateField } = readIdentity(run, group.journalPath);
  const { countTokens, context = [] } = options;
  const surroundings = createSurroundings({ identity, templates, context: [...context], countTokens });
  let areAllRead = true;
  for (const path of group.prompts) areAllRead = (await checkPrompt(run, path, surroundings)) && areAllRead;
  await checkTemplates(run, surroundings, { whole: group.whole, areAllRead });
  const advise = adviseUndefined(group, options, misplaced);
  surroundings.undefinedUses.report(run, advise, new Set(templates?.paths.values()));

  const { journalPath: file } = group;
  for (const fault of unusableNames({
    identity,
    templates: templates?.keys(),
    context: surroundings.context,
  })) {
    if (file === undefined || fault.field === undefined || surroundings.toldUnusable.has(fault.name))
      continue;
    const message = explainUnusableName(fault);
    run.report({ code: "unusable-name", severity: "warning", message, file, ...locateField(fault.field) });
  }
  const names = [...flattenIdentity(identity ?? {}).variables.keys(), ...(templates?.paths.keys() ?? [])];
  for (const path of findStrays(group.beside, names))
    run.notes.push(
      `${path} names variables as a prompt does, and was not checked: it stands outside prompts/; move it there if it is one`,
    );
}
