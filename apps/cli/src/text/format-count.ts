const grouped = new Intl.NumberFormat("en-US");

/** A number with separators, and a noun in the form that fits: `3,412 tokens`, `1 line`. */
export function formatCount(count: number, noun?: string): string {
  const number = grouped.format(count);
  if (noun === undefined) return number;
  return `${number} ${noun}${count === 1 ? "" : "s"}`;
}
