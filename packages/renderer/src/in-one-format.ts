import type { ReadBody } from "./read-body.ts";

/**
 * Two bodies in one format, where there is one that both may be in: a body that shows whose API it speaks tells it of
 * one that does not, as an agent's first request often has none of what later ones have. Otherwise as they are.
 */
export function inOneFormat(
  previous: ReadBody,
  next: ReadBody,
): readonly [previous: ReadBody, next: ReadBody] {
  if (previous.format === next.format) return [previous, next];
  const format = [next.format, previous.format, ...next.formats].find(
    (each) => previous.formats.includes(each) && next.formats.includes(each),
  );
  if (format === undefined) return [previous, next];
  const inFormat = (body: ReadBody): ReadBody => (body.format === format ? body : { ...body, format });
  return [inFormat(previous), inFormat(next)];
}
