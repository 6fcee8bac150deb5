import { explainInvalidTag } from "./explain-invalid-tag.ts";
import { scanTags, type Tag } from "./scan-tags.ts";
import { trimContent } from "./trim-content.ts";

/** What can be wrong with the tags of a text. */
export type SectionProblemCode = "unclosed" | "nested" | "stray-close" | "invalid-tag";

/**
 * A fault at an offset. `key` and `openedAt` (an offset) name the section that was left open; `advice` says of an
 * `invalid-tag` what is wrong with it and what to write.
 */
export interface SectionProblem {
  readonly code: SectionProblemCode;
  readonly offset: number;
  readonly key?: string;
  readonly openedAt?: number;
  readonly advice?: string;
  /** Of a section that is `unclosed` or has another `nested` in it: what was most likely meant as its closing tag, and its offset. */
  readonly misspeltClose?: { readonly offset: number; readonly raw: string };
}

/** One section's place in the text. `start` and `end` hold its trimmed content, before entities are read. */
export interface SectionSpan {
  /** Absent for an untagged run. */
  readonly key?: string;
  /** Where its opening tag starts; for an untagged run where its content starts. */
  readonly tagStart: number;
  readonly start: number;
  readonly end: number;
}

/** The sections of a text as places in it. All offsets count from 0 in `text`. */
export interface SectionLayout {
  readonly text: string;
  readonly spans: readonly SectionSpan[];
  readonly problems: readonly SectionProblem[];
}

interface OpenSection {
  readonly key: string;
  readonly start: number;
  readonly contentStart: number;
}

/**
 * Finds the sections in pieces of authored text that stand one after the other. No tag forms across a border between
 * two pieces. The pieces must be normalized ({@link normalizeText}); `text` is all of them joined.
 *
 * After a fault reading goes on so that one mistake is reported once: an opening tag inside an open section ends that
 * section, and the closing tag that is then left over is not reported. Time is linear in the input, whatever it is.
 */
export function splitSections(pieces: readonly string[]): SectionLayout {
  const text = pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
  const reader = new SectionReader(text);
  let base = 0;
  for (const [index, piece] of pieces.entries()) {
    for (const tag of scanTags(piece, index === pieces.length - 1)) reader.read(tag, base);
    base += piece.length;
  }
  reader.finish();
  reader.problems.sort((a, b) => a.offset - b.offset);
  return { text, spans: reader.spans, problems: reader.problems };
}

/** Turns the tags of a text, in order, into spans and problems. */
class SectionReader {
  readonly spans: SectionSpan[] = [];
  readonly problems: SectionProblem[] = [];
  readonly #text: string;
  #open: OpenSection | undefined;
  #runStart = 0;
  /** Closing tags that belong to a fault already reported. */
  #expectedCloses = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(tag: Tag, base: number): void {
    const offset = base + tag.start;
    const end = base + tag.end;
    if (tag.kind === "close") this.#close(offset, end);
    else if (this.#open !== undefined) this.#nest(this.#open, tag, offset, end);
    else if (tag.kind === "open") {
      this.#endRun(offset);
      this.#expectedCloses = 0;
      this.#open = { key: tag.key, start: offset, contentStart: end };
    } else {
      this.problems.push({ code: "invalid-tag", offset, advice: explainInvalidTag(this.#text, offset) });
      this.#expectedCloses += 1;
    }
  }

  finish(): void {
    const open = this.#open;
    if (open === undefined) {
      this.#endRun(this.#text.length);
      return;
    }
    this.#reportUnclosed(open);
    this.#endSection(open, this.#text.length);
  }

  #reportUnclosed(open: OpenSection): void {
    const close = findMisspeltClose(this.#text, open.contentStart, this.#text.length);
    this.problems.push({
      code: "unclosed",
      offset: open.start,
      key: open.key,
      openedAt: open.start,
      ...(close === undefined ? {} : { misspeltClose: close }),
    });
  }

  #close(offset: number, end: number): void {
    if (this.#open !== undefined) {
      this.#endSection(this.#open, offset);
      this.#open = undefined;
      this.#runStart = end;
    } else if (this.#expectedCloses > 0) {
      this.#expectedCloses -= 1;
    } else {
      this.problems.push({ code: "stray-close", offset });
    }
  }

  #nest(open: OpenSection, tag: Tag, offset: number, end: number): void {
    // Of an invalid tag the section goes on: looking again for each would take quadratic time.
    const close = tag.kind === "open" ? findMisspeltClose(this.#text, open.contentStart, offset) : undefined;
    this.problems.push({
      code: "nested",
      offset,
      key: open.key,
      openedAt: open.start,
      ...(close === undefined ? {} : { misspeltClose: close }),
    });
    this.#expectedCloses += 1;
    if (tag.kind !== "open") return;
    this.#endSection(open, offset);
    this.#open = { key: tag.key, start: offset, contentStart: end };
  }

  #endRun(end: number): void {
    const content = trimContent(this.#text, this.#runStart, end, this.#runStart > 0);
    if (content.start < content.end) this.spans.push({ tagStart: content.start, ...content });
  }

  #endSection(section: OpenSection, end: number): void {
    const content = trimContent(this.#text, section.contentStart, end, true);
    this.spans.push({ key: section.key, tagStart: section.start, ...content });
  }
}

/** The first word in a closing tag of its own line that is nearly the right one. */
function findMisspeltClose(text: string, from: number, to: number): SectionProblem["misspeltClose"] {
  const near =
    /^[ \t]{0,8}(<\/(?:sections|secton|setion|seciton|sectoin|sectin|secion|sction|sect|sec|sectionn|ssection)[ \t]{0,8}>)[ \t]*$/im;
  const match = near.exec(text.slice(from, to));
  const [whole = "", raw] = match ?? [];
  return match === null || raw === undefined
    ? undefined
    : { offset: from + match.index + whole.indexOf(raw), raw };
}
