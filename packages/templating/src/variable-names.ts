import { CONTEXT_NAMES } from "./context/context-names.ts";
import { flattenIdentity } from "./identity.ts";
import { isVariableName } from "./variable-name.ts";
import { upperFirstName } from "./variables.ts";

/** What gives a prompt its variables, beside the context builders. */
export interface NameSources {
  readonly identity?: Readonly<Record<string, unknown>> | undefined;
  /** Names that the caller gives. */
  readonly context?: Iterable<string> | undefined;
  /** What the prompt declares. */
  readonly inputs?: Iterable<{ readonly name: string }> | undefined;
}

/**
 * The names of the variables that a prompt may use, with their uppercase-first versions: those of the context builders, of
 * the caller, of the identity (also of a field whose value is at fault) and of the declared inputs. Templates are none, and
 * neither is what cannot be written as a name.
 */
export function variableNames({ identity = {}, context = [], inputs = [] }: NameSources): Set<string> {
  const { variables, problems } = flattenIdentity(identity);
  const names = new Set([...CONTEXT_NAMES, ...context, ...variables.keys()]);
  for (const { name } of problems) names.add(name);
  for (const { name } of inputs) names.add(name);
  for (const name of names) if (!isVariableName(name)) names.delete(name);
  for (const name of [...names]) names.add(upperFirstName(name));
  return names;
}
