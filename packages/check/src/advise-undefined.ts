import { join } from "node:path";
import { configPlaces } from "@promptfold/templating/node";
import type { PlaceOptions, PromptGroup } from "./find-prompts.ts";
import type { AdviseUndefined } from "./undefined-uses.ts";

/**
 * What to do about a variable that is not defined and looks like none that is, for the prompts of one group.
 *
 * @param misplaced - the field of `journal.json` that a variable stands in by a slip, by the variable's name
 */
export function adviseUndefined(
  group: PromptGroup,
  places: PlaceOptions,
  misplaced: ReadonlyMap<string, string>,
): AdviseUndefined {
  const stray = explainOutside(group, places);
  if (stray !== undefined) return () => stray;
  const { templatesDir = group.root === undefined ? undefined : configPlaces(group.root).templatesDir } =
    group;
  return (name, users) => {
    const field = misplaced.get(name);
    if (field !== undefined)
      return `it stands in ${field} of ${group.journalPath ?? "journal.json"}; rename ${field} to identity`;
    const declare = `declare ${name} under input${users === undefined ? "" : ` of ${tellUsers(users)}`}`;
    return templatesDir === undefined
      ? `${declare} or add it to identity`
      : `${declare}, add it to identity, or create ${join(templatesDir, `${name}.md`)}`;
  };
}

/** More are not named one by one. */
const MOST_USERS = 3;

function tellUsers(users: readonly string[]): string {
  const all = [...users].sort();
  if (all.length === 0) return "the prompts that use this template";
  if (all.length > MOST_USERS)
    return `the ${all.length} prompts that use this template, such as ${all[0] ?? ""}`;
  return all.join(" and ");
}

/**
 * Why prompts that stand in a config folder, but outside its `prompts/`, are not personalised as the others there are, and
 * what to do. Undefined for any others, and when `places` names both templates and identity.
 */
export function explainOutside(
  { outside }: PromptGroup,
  { templatesDir, journalPath }: PlaceOptions,
): string | undefined {
  if (outside === undefined) return undefined;
  const missing = [
    ...(journalPath === undefined ? [{ what: "identity", option: "--identity" }] : []),
    ...(templatesDir === undefined ? [{ what: "templates", option: "--templates" }] : []),
  ];
  if (missing.length === 0) return undefined;
  const { promptsDir } = configPlaces(outside);
  const what = missing.map((one) => one.what).join(" and ");
  const options = missing.map(({ option }) => option).join(" and ");
  return `the file stands outside ${promptsDir}/, so the ${what} beside that folder are not used; move it there, or give ${options}`;
}
