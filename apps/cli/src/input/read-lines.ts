import { createReadStream } from "node:fs";
import { describeReadError } from "./read-text-input.ts";

/** The lines of a file, `-` being standard input, one after the other: memory holds one chunk and one line. */
export async function* readLines(path: string): AsyncGenerator<string, void, void> {
  const chunks: AsyncIterable<string> = (path === "-" ? process.stdin : createReadStream(path)).setEncoding(
    "utf8",
  );
  // Pieces of a line that has not ended, joined once.
  let pieces: string[] = [];
  try {
    for await (const chunk of chunks) {
      // By line feeds alone: other Unicode line ends may stand inside JSON strings.
      const [first = "", ...rest] = chunk.split("\n");
      pieces.push(first);
      for (const next of rest) {
        yield pieces.join("");
        pieces = [next];
      }
    }
  } catch (error) {
    throw describeReadError(path, error);
  }
  const last = pieces.join("");
  if (last !== "") yield last;
}
