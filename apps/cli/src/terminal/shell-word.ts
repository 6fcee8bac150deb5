/** A word as it is typed into a shell: quoted when something in it has a meaning there. */
export function shellWord(word: string): string {
  return /^[\w:./@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
