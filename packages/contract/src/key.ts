import { z } from "zod";

/** Addresses every section in a rewrite; never the key of one. */
export const RESERVED_KEY = "*";

const keyPattern = /^[^"<>\u0000-\u001f\u007f-\u009f]+$/;

/**
 * Whether `key` may name a section: a non-empty string without `"`, `<`, `>` or control characters, and not the
 * reserved `*`. Keys are otherwise arbitrary (`__proto__` too).
 */
export function isSectionKey(key: string): boolean {
  return key !== RESERVED_KEY && keyPattern.test(key);
}

/** A section key; see {@link isSectionKey}. */
export const SectionKey: z.ZodString = z
  .string()
  .refine(isSectionKey, 'a key is a non-empty string without ", <, > or control characters; "*" is reserved');
