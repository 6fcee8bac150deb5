import { isSectionKey, RESERVED_KEY } from "@promptfold/contract";
import { InvalidArgumentError } from "commander";

/** An offset: a whole number from 1. */
export function parseOffset(text: string): number {
  if (/^@?[1-9]\d{0,14}$/.test(text)) return Number(text.replace("@", ""));
  throw new InvalidArgumentError("an offset is a whole number from 1");
}

/** A section's key. */
export function parseKey(text: string): string {
  if (isSectionKey(text)) return text;
  if (text === RESERVED_KEY)
    throw new InvalidArgumentError(
      `${RESERVED_KEY} is reserved: it stands for all sections, which are listed without --key`,
    );
  throw new InvalidArgumentError('a key is not empty, and has no ", <, > or control characters in it');
}

/** A number above 0. */
export function parsePositive(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("give a number above 0");
}
