/**
 * How much of a long text one place in it stands for, in UTF-16 units: about 128 tokens of English, the step in which
 * OpenAI counts what came from its cache.
 */
export const STEP_LENGTH = 512;

/** The hash of a text, and of what it begins with, after each step of a long one. */
export interface TextHash {
  readonly whole: number;
  readonly steps: readonly number[];
}

const noSteps: readonly number[] = [];

/** 53 bits that stand for a text, and for each step of it but the last one. Linear, and not made against attackers. */
export function hashText(text: string): TextHash {
  const { length } = text;
  if (length <= STEP_LENGTH) return { whole: hashRange(text, 0, length, seed), steps: noSteps };
  const steps: number[] = [];
  let hash = seed;
  for (let start = 0; start < length; start += STEP_LENGTH) {
    if (start > 0) steps.push(hash);
    hash = hashRange(text, start, Math.min(start + STEP_LENGTH, length), hash);
  }
  return { whole: hash, steps };
}

/** The hash of a sequence, from the hash of what comes before its last part and the hash of that part. */
export function chainHash(before: number, part: number): number {
  let [low, high] = split(before);
  for (const half of split(part)) {
    low = Math.imul(low ^ half, 0x9e3779b1);
    high = Math.imul(high ^ half ^ (low >>> 15), 0x85ebca77);
  }
  return join(low, high);
}

const seed = 0x1f83d9ab;

function hashRange(text: string, start: number, end: number, from: number): number {
  let [low, high] = split(from);
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x9e3779b1);
    high = Math.imul(high ^ unit, 0x5f356495);
  }
  return join(low ^ (end - start), high);
}

function split(hash: number): [low: number, high: number] {
  return [hash | 0, (hash / 0x1_0000_0000) | 0];
}

function join(low: number, high: number): number {
  const first = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  const second = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (second & 0x1f_ffff) * 0x1_0000_0000 + (first >>> 0);
}
