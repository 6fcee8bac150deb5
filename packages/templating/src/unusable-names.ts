import { flattenIdentity, identityPath } from "./identity.ts";
import { asVariableName, isVariableName, NAME_RULE } from "./variable-name.ts";
import { type NameSources, variableNames } from "./variable-names.ts";

/** A name that a template or a field of the identity would give, were it one that a prompt can write. */
export interface UnusableName {
  /** As a prompt would have to write it, fields of the identity flattened. */
  readonly name: string;
  /** The way to the key at fault in the identity; absent for a template. */
  readonly field?: readonly string[] | undefined;
  /** The name that prompts can write once the remedy is taken; undefined when that is for the author to find. */
  readonly usable?: string | undefined;
  /** What to do. */
  readonly remedy: string;
}

/**
 * The templates and the fields of an identity that no prompt can name, with what to call them: nothing that another source
 * gives already, which would hide one of the two.
 */
export function unusableNames(
  sources: NameSources & {
    /** The names of the templates. */
    readonly templates?: Iterable<string> | undefined;
  },
): UnusableName[] {
  const { identity = {} } = sources;
  const templates = new Set(sources.templates ?? []);
  const { fields } = flattenIdentity(identity);
  const badFields = [...fields].filter(([name]) => !isVariableName(name));
  const badFiles = [...templates].filter((name) => !isVariableName(name));
  if (badFields.length === 0 && badFiles.length === 0) return [];
  const taken = variableNames(sources);
  for (const name of templates) taken.add(name);
  const files = badFiles.map((name) => fileAtFault(name, taken));
  const keys = badFields.map(([name, field]) => keyAtFault(name, field, taken));
  return [...files, ...keys];
}

function fileAtFault(name: string, taken: ReadonlySet<string>): UnusableName {
  const free = asVariableName(name);
  const usable = free === undefined || taken.has(free) ? undefined : free;
  const to = usable === undefined ? A_NAME : `${usable}.md`;
  return { name, usable, remedy: `rename the template ${name}.md to ${to}` };
}

function keyAtFault(name: string, whole: readonly string[], taken: ReadonlySet<string>): UnusableName {
  // Without a key of wrong letters, it is a digit at the start that is wrong.
  const index = Math.max(
    0,
    whole.findIndex((key) => /[^_A-Za-z0-9]/.test(key)),
  );
  const key = whole[index] ?? "";
  const free = index === 0 ? asVariableName(key) : asVariableName(`x${key}`)?.slice(1);
  const flat = [...whole.slice(0, index), free ?? "", ...whole.slice(index + 1)].join("_");
  const isFree = free !== undefined && !taken.has(flat);
  const to = isFree ? JSON.stringify(free) : A_NAME;
  return {
    name,
    field: whole.slice(0, index + 1),
    // Other keys on the way may be at fault too.
    usable: isFree && isVariableName(flat) ? flat : undefined,
    remedy: `rename ${JSON.stringify(key)} in ${identityPath(whole.slice(0, index))} to ${to}`,
  };
}

const A_NAME = "a name of letters, digits and underscores";

/** What to say of such a name where it stands. */
export function explainUnusableName({ name, remedy }: UnusableName): string {
  return `no prompt can write $${name}, which is no variable's name (${NAME_RULE}); ${remedy}`;
}
