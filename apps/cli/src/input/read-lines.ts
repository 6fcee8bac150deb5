import { createReadStream } from "node:fs";
import { decodeText, STDIN_NAME } from "@promptfold/templating/node";
import { describeReadError } from "./read-text-input.ts";

const LINE_FEED = 0x0a;

/**
 * The lines of a file, `-` being standard input, one after the other: memory holds one chunk and one line. A byte-order mark
 * is dropped.
 *
 * @throws UnreadableFileError with the line that is not UTF-8; what cannot be read at all
 */
export async function* readLines(path: string): AsyncGenerator<string, void, void> {
  const chunks: AsyncIterable<Uint8Array> = path === "-" ? process.stdin : createReadStream(path);
  const name = path === "-" ? STDIN_NAME : path;
  let number = 0;
  // Pieces of a line that has not ended, joined once.
  let pieces: Uint8Array[] = [];
  const takeLine = (): string => {
    number += 1;
    const text = decodeText(`${name}:${number}`, Buffer.concat(pieces));
    pieces = [];
    return number === 1 ? text.replace(/^\ufeff/, "") : text;
  };
  try {
    for await (const chunk of chunks) {
      // By line feeds alone: other Unicode line ends may stand inside JSON strings.
      let start = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
        pieces.push(chunk.subarray(start, end));
        start = end + 1;
        yield takeLine();
      }
      pieces.push(chunk.subarray(start));
    }
  } catch (error) {
    throw describeReadError(path, error);
  }
  const last = takeLine();
  if (last !== "") yield last;
}
