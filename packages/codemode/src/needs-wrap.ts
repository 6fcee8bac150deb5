const WHOLE_FUNCTION = /^(?:async\s+function\b|\(?\s*async\s*\(|async\s+[\w$]+\s*=>)/;

/**
 * Whether trimmed code is bare statements (`true`) or begins like a whole async function (`false`): with
 * `async function`, `async (`, `(async (` or `async name =>`.
 */
export function needsWrap(code: string): boolean {
  return !WHOLE_FUNCTION.test(code);
}
