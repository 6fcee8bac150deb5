/** What names a variable: the rule of Python's `string.Template`. */
export const VARIABLE_NAME: RegExp = /^[_A-Za-z][_A-Za-z0-9]*$/;

/** Whether a text may name a variable: letters, digits and underscores, no digit first. */
export function isVariableName(text: string): boolean {
  return VARIABLE_NAME.test(text);
}

/** What a name may have, for messages. */
export const NAME_RULE = "letters, digits and underscores, no digit first";

/** The name of a variable that is most like a text: what no name has becomes an underscore. Undefined when nothing is left. */
export function asVariableName(text: string): string | undefined {
  const name = text.trim().replace(/[^_A-Za-z0-9]+/g, "_");
  if (/^_*$/.test(name)) return undefined;
  return isVariableName(name) ? name : `_${name}`;
}

/** What to say of a text that was given for a variable's name and is none; undefined when it is one. */
export function explainName(text: string): string | undefined {
  if (isVariableName(text)) return undefined;
  const name = asVariableName(text.replace(/^\$\{?|\}$/g, ""));
  const remedy = name === undefined ? "give it one" : `write ${name}`;
  return `${JSON.stringify(text)} is no variable's name (${NAME_RULE}); ${remedy}`;
}

/** The same rule by UTF-16 units, for a scan: what may begin a name, and what may go on with it. */
export function isNameStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

export function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 0x30 && code <= 0x39);
}
