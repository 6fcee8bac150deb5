/** What names a variable: the rule of Python's `string.Template`. */
export const VARIABLE_NAME: RegExp = /^[_A-Za-z][_A-Za-z0-9]*$/;

/** Whether a text may name a variable: letters, digits and underscores, no digit first. */
export function isVariableName(text: string): boolean {
  return VARIABLE_NAME.test(text);
}

/** The same rule by UTF-16 units, for a scan: what may begin a name, and what may go on with it. */
export function isNameStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

export function isNamePart(code: number): boolean {
  return isNameStart(code) || (code >= 0x30 && code <= 0x39);
}
