import { flattenIdentity, identityPath } from "./identity.ts";
import { createNameHints } from "./nearest-name.ts";
import { type UnusableName, unusableNames } from "./unusable-names.ts";
import { isNamePart, isVariableName } from "./variable-name.ts";
import { type NameSources, variableNames } from "./variable-names.ts";
import { upperFirstName } from "./variables.ts";

/** All that a prompt may name. */
export interface HintSources extends NameSources {
  /** The names of the templates. */
  readonly templates?: Iterable<string> | undefined;
}

/** What to do about a name that a prompt uses and nothing defines. */
export interface VariableHint {
  readonly remedy: string;
  /** The defined name that was most likely meant. */
  readonly near?: string;
  /** What would define the name, were its own name one that a prompt can write. */
  readonly unusable?: UnusableName;
}

/** Tells of names that a prompt uses whether they are defined, and if not, what to do. */
export interface VariableHints {
  readonly isDefined: (name: string) => boolean;
  /**
   * Undefined for a defined name, and when nothing is known that was meant.
   *
   * @param after - the text after the name in the prompt: in `$e-mail` it is `e` that is used, and `e-mail` that was meant
   */
  readonly hint: (name: string, after?: string) => VariableHint | undefined;
  /** What to do about what stands between braces and is no name. */
  readonly hintInBraces: (text: string) => VariableHint | undefined;
}

/** {@link VariableHints} for what a prompt may name. Names of nothing else are hinted at, and none that cannot be written. */
export function createVariableHints(sources: HintSources): VariableHints {
  const templates = [...(sources.templates ?? [])];
  const names = variableNames(sources);
  for (const name of templates) if (isVariableName(name)) names.add(name);
  const nearest = createNameHints(() => names);
  // Most prompts name nothing that is not defined.
  let faults: ReturnType<typeof indexFaults> | undefined;
  const known = (): ReturnType<typeof indexFaults> => (faults ??= indexFaults({ ...sources, templates }));

  /** What somebody means who writes a way with points, or begins it with `identity`. */
  const flatName = (written: string): string | undefined => {
    const flat = written.replace(/[^_A-Za-z0-9]+/g, "_").replace(/_$/, "");
    return [flat, flat.replace(/^identity_/, "")].find((one) => names.has(one));
  };
  const hintAtField = (name: string, after: string): VariableHint | undefined => {
    const [way = ""] = /^(?:[.[]['"]?[_A-Za-z]\w*['"]?\]?)+/.exec(after) ?? [];
    const near = (way === "" ? undefined : flatName(name + way)) ?? flatName(name);
    if (near !== undefined) return { near, remedy: `write ${way === "" ? `$${near}` : `\${${near}}`}` };
    const fields = known().fieldsOf.get(name);
    if (fields === undefined) return undefined;
    const list = fields.slice(0, MOST_FIELDS).map((one) => `$${one}`);
    const more = fields.length > MOST_FIELDS ? ", …" : "";
    return { remedy: `the identity has it as fields: write ${list.join(", ")}${more}` };
  };

  const hint = (name: string, after = ""): VariableHint | undefined => {
    if (names.has(name)) return undefined;
    const field = known().emptyField.get(name);
    if (field !== undefined)
      return { remedy: `${identityPath(field)} is null, which counts as not given; give it a value` };
    const meant = known().meant(name, after) ?? hintAtField(name, after);
    if (meant !== undefined) return meant;
    const near = nearest(name);
    return near === undefined ? undefined : { near, remedy: `did you mean $${near}?` };
  };
  const hintInBraces = (text: string): VariableHint | undefined => {
    const meant = known().inBraces(text);
    if (meant !== undefined || !/^[_A-Za-z][\w.[\]'"]*$/.test(text)) return meant;
    const near = flatName(text);
    return near === undefined ? undefined : { near, remedy: `write \${${near}}` };
  };
  return { isDefined: (name) => names.has(name), hint, hintInBraces };
}

/** More fields of an identity are not named. */
const MOST_FIELDS = 4;

/** As much of the text after a name as a name may go on with, had it been written otherwise. */
const LONGEST_AFTER = 100;

/** What would be defined, were it not null or otherwise named. */
function indexFaults(sources: HintSources) {
  const { empty, fields } = flattenIdentity(sources.identity ?? {});
  const fieldsOf = new Map<string, string[]>();
  for (const [flat, field] of fields) {
    if (field.length < 2 || !isVariableName(flat)) continue;
    for (let end = field.length - 1; end > 0; end -= 1) {
      const name = field.slice(0, end).join("_");
      for (const one of new Set([name, upperFirstName(name)])) {
        const list = fieldsOf.get(one);
        if (list === undefined) fieldsOf.set(one, [flat]);
        else if (list.length <= MOST_FIELDS) list.push(flat);
      }
    }
  }
  const emptyField = new Map<string, readonly string[]>();
  for (const [name, field] of empty) emptyField.set(upperFirstName(name), field).set(name, field);
  const byUsable = new Map<string, UnusableName>();
  const byName = new Map<string, UnusableName>();
  for (const one of unusableNames(sources)) {
    byName.set(one.name, one);
    if (one.usable !== undefined) byUsable.set(upperFirstName(one.usable), one).set(one.usable, one);
  }
  const write = (one: UnusableName | undefined): VariableHint | undefined => {
    if (one === undefined) return undefined;
    const { usable, remedy } = one;
    return { unusable: one, remedy: usable === undefined ? remedy : `${remedy}, and write $${usable}` };
  };
  return {
    emptyField,
    fieldsOf,
    meant: (name: string, after: string): VariableHint | undefined => {
      const one = byUsable.get(name);
      if (one !== undefined) return { unusable: one, remedy: one.remedy };
      const written = name + after.slice(0, LONGEST_AFTER);
      for (let end = written.length; end > name.length; end -= 1) {
        // A name that goes on is another one.
        if (isNamePart(written.charCodeAt(end))) continue;
        const other = byName.get(written.slice(0, end));
        if (other !== undefined) return write(other);
      }
      return undefined;
    },
    inBraces: (text: string): VariableHint | undefined => write(byName.get(text)),
  };
}
