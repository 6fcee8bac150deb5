import fc from "fast-check";

/**
 * Which of the named cases generated inputs reach: a law that is tried on none of a kind says nothing of it. Measured on a
 * sample of its own with a fixed seed, so that it tells of the generator and not of luck.
 */
export class Coverage<Name extends string> {
  readonly #missing: Set<Name>;

  constructor(names: readonly Name[]) {
    this.#missing = new Set(names);
  }

  hit(name: Name, happened = true): void {
    if (happened) this.#missing.delete(name);
  }

  /** The cases never reached; empty when the generator does its work. */
  get missing(): Name[] {
    return [...this.#missing];
  }
}

/** The same inputs of a generator in every run. */
export function sampleOf<Value>(generator: fc.Arbitrary<Value>, size = 1000): Value[] {
  return fc.sample(generator, { numRuns: size, seed: 20_260_302 });
}
