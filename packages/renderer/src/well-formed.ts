/** What newer runtimes give strings; their own check is many times faster than any other. */
interface MaybeWellFormed {
  isWellFormed?(): boolean;
}

/**
 * A text with every lone surrogate replaced by U+FFFD. Half a character has no UTF-8 form: some providers refuse the
 * whole body over one, and would refuse every later request of that conversation with it.
 */
export function wellFormed(text: string): string {
  const isFine = (text as MaybeWellFormed).isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);
  return isFine ? text : text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}
