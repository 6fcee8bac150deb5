import type { CacheMark } from "./mapping.ts";
import type { BodyLayout } from "./mapping-definition.ts";

/** Stands for a block's text where a layout is asked for the JSON around it. No layout writes such a thing itself. */
const PLACEHOLDER = "\u0000";
const WRITTEN_PLACEHOLDER: string = JSON.stringify(PLACEHOLDER);

/**
 * What the JSON of a body's list says around the texts of its blocks. A layout writes the same for every block of one
 * role, so it is asked once per role and not for every block.
 */
export class WrittenForm {
  readonly #layout: BodyLayout<unknown>;
  readonly #roles = new Map<string, RoleForm>();

  constructor(layout: BodyLayout<unknown>) {
    this.#layout = layout;
  }

  /** What stands around the texts of a role's blocks. */
  of(role: string): RoleForm {
    let form = this.#roles.get(role);
    if (form === undefined) this.#roles.set(role, (form = new RoleForm(this.#layout, role)));
    return form;
  }
}

/** What the JSON of a body's list says around a text of one role: field names, so all of it is ASCII. */
export class RoleForm {
  /** Before a text that is the list's first. */
  readonly first: string;
  /** Before a text that follows one of the same role. */
  readonly afterSame: string;
  /** Before a text that follows one of another role. */
  readonly afterOther: string;
  readonly #unmarked: string;
  readonly #marked: ReadonlyMap<CacheMark["ttl"], string>;

  constructor(layout: BodyLayout<unknown>, role: string) {
    const around = (mark?: CacheMark): readonly [before: string, after: string] => {
      const written = layout.merges ? layout.part(PLACEHOLDER, mark) : layout.entry(role, PLACEHOLDER, mark);
      const json = JSON.stringify(written);
      const at = json.indexOf(WRITTEN_PLACEHOLDER);
      return [json.slice(0, at), json.slice(at + WRITTEN_PLACEHOLDER.length)];
    };
    const [before, after] = around();
    const opening = layout.merges ? JSON.stringify(layout.entry(role, [])).slice(0, -"]}".length) : "";
    this.first = opening + before;
    this.afterSame = `,${before}`;
    this.afterOther = layout.merges ? `]},${opening}${before}` : this.afterSame;
    this.#unmarked = after;
    this.#marked = new Map(
      ([undefined, "5m", "1h"] as const).map((ttl) => [
        ttl,
        around({ block: 0, reason: "newest-stamp", ttl })[1],
      ]),
    );
  }

  /** After a text, with the mark that stands on it. */
  closing(mark: CacheMark | undefined): string {
    return mark === undefined ? this.#unmarked : (this.#marked.get(mark.ttl) ?? this.#unmarked);
  }
}
