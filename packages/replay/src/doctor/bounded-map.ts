/**
 * A map that holds a bounded number of entries: the ones that were not asked for longest are let go, about half at a
 * time, so that each step costs the same.
 */
export class BoundedMap<Key, Value> {
  readonly #half: number;
  #newer = new Map<Key, Value>();
  #older = new Map<Key, Value>();
  #hasLetGo = false;

  constructor(limit: number) {
    this.#half = Math.ceil(limit / 2);
  }

  /** Whether anything was let go so far. */
  get hasLetGo(): boolean {
    return this.#hasLetGo;
  }

  get(key: Key): Value | undefined {
    const known = this.#newer.get(key);
    if (known !== undefined) return known;
    const old = this.#older.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#newer.size >= this.#half && !this.#newer.has(key)) {
      this.#hasLetGo ||= this.#older.size > 0;
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }

  delete(key: Key): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}
