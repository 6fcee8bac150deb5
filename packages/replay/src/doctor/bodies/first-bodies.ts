import type { ReadBody } from "@promptfold/renderer";

/** How many bodies are kept, and how much of their text, in UTF-16 units. */
const MAX_BODIES = 256;
const MAX_SIZE = 16 * 1024 * 1024;

/** The bodies that a log begins with, as they were given: as long as they are few, they can be read once more. */
export class FirstBodies {
  #list: unknown[] | undefined = [];
  #size = 0;

  /** Empty once there were too many. */
  get list(): readonly unknown[] {
    return this.#list ?? [];
  }

  /** Gives whether all bodies so far are kept. */
  add(raw: unknown, read: ReadBody | undefined): boolean {
    this.#size += read?.blocks.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
    this.#list?.push(raw);
    if (this.#size > MAX_SIZE || (this.#list?.length ?? 0) > MAX_BODIES) this.#list = undefined;
    return this.#list !== undefined;
  }
}
