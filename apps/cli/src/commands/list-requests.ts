import type { EventSource } from "../input/event-source.ts";
import { followRequests, type OpenedRequest } from "../input/follow-requests.ts";
import { colorsFor } from "../terminal/colors.ts";
import { say, writeOut } from "../terminal/write-out.ts";
import { RequestTable } from "../text/format-requests.ts";

/** So many lines are laid out together. */
const LINES = 256;

/** Writes the requests that a stream opened, a line each, or as a JSON array; memory holds a few hundred of them. */
export async function writeRequests(
  source: EventSource,
  { isJson }: { readonly isJson: boolean },
): Promise<void> {
  const requests = followRequests(source.pages());
  if (isJson) await writeAsJson(requests);
  else await writeTable(source.name, requests);
}

async function writeTable(name: string, requests: AsyncIterable<OpenedRequest>): Promise<void> {
  const table = new RequestTable(colorsFor(process.stdout));
  let lines: OpenedRequest[] = [];
  let count = 0;
  const flush = async (): Promise<void> => {
    if (lines.length > 0) await writeOut(`${table.format(lines)}\n`);
    lines = [];
  };
  for await (const request of requests) {
    count += 1;
    if (lines.push(request) === LINES) await flush();
  }
  await flush();
  if (count === 0) say(`${name}: no request was opened`);
}

/** The array as `writeJson` writes one, element by element. */
async function writeAsJson(requests: AsyncIterable<OpenedRequest>): Promise<void> {
  let isFirst = true;
  for await (const request of requests) {
    const text = JSON.stringify(request, undefined, 2).replaceAll("\n", "\n  ");
    await writeOut(`${isFirst ? "[" : ","}\n  ${text}`);
    isFirst = false;
  }
  await writeOut(isFirst ? "[]\n" : "\n]\n");
}
