import type { ReadBody } from "@promptfold/renderer";

/** How many lines are kept, and how much text of their bodies, in UTF-16 units. */
const MAX_LINES = 256;
const MAX_SIZE = 16 * 1024 * 1024;

/** What a log begins with: as long as it is little, it can be taken once more. */
export class FirstBodies<Line extends { readonly read?: ReadBody }> {
  #list: Line[] | undefined = [];
  #size = 0;

  /** Empty once there was too much. */
  get list(): readonly Line[] {
    return this.#list ?? [];
  }

  /** Gives whether all lines so far are kept. */
  add(line: Line): boolean {
    this.#size += line.read?.blocks.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
    this.#list?.push(line);
    if (this.#size > MAX_SIZE || (this.#list?.length ?? 0) > MAX_LINES) this.#list = undefined;
    return this.#list !== undefined;
  }
}
