/** Length of a text in UTF-8 bytes; a lone surrogate counts as the three bytes of its replacement character. */
export function utf8Length(text: string): number {
  // A regular expression runs over plain ASCII many times faster than any loop.
  const first = text.search(/[^\x00-\x7f]/);
  if (first === -1) return text.length;
  let bytes = text.length;
  for (let index = first; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPairAt(text, index, unit)) {
      bytes += 2;
      index++;
    } else bytes += 2;
  }
  return bytes;
}

/** How many UTF-16 units two texts begin with in common; never half a surrogate pair, which is no character. */
export function sharedLength(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  if (length > 0 && length < Math.max(a.length, b.length) && isHigh(a.charCodeAt(length - 1))) length--;
  return length;
}

function isPairAt(text: string, index: number, unit: number): boolean {
  return isHigh(unit) && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
}

function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}
