import { appendFileSync } from "node:fs";

const toModels = /\/(chat\/completions|responses|messages|[^/]+:(stream)?generateContent)$/i;

/** A fetch that writes what it sends to a model as a line of a file: the address without its query, and the body. */
export function recordingFetch(file, send = globalThis.fetch) {
  return async (input, init) => {
    const isRequest = input instanceof globalThis.Request;
    const [url] = (isRequest ? input.url : String(input)).split("?");
    const body = init?.body ?? (isRequest ? await input.clone().text() : undefined);
    if (toModels.test(url) && typeof body === "string")
      appendFileSync(file, `{"url":${JSON.stringify(url)},"body":${body.replace(/[\r\n]+/g, " ")}}\n`);
    return send(input, init);
  };
}
