import { printable } from "@promptfold/contract";
import { say } from "./write-out.ts";

/** Tells a person something worth knowing beside the data, of a place or of the whole: safe for a terminal, whatever names say. */
export function sayNote(place: string | undefined, text: string): void {
  say(formatNote(place, text));
}

/** Such a note, for who says it later. */
export function formatNote(place: string | undefined, text: string): string {
  return printable(`note: ${place === undefined ? "" : `${place}: `}${text}`);
}
