/** How long the tag is that opens a section of that key. */
export function openingTagLength(key: string): number {
  return `<section key="${key}">`.length;
}
