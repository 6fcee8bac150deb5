/** Orders text by code points, which is the byte order of UTF-8 and so the order of every database that stores it. */
export function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
