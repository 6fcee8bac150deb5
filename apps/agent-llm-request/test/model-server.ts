import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What the server answers every request with. */
export interface ModelServerAnswer {
  readonly status?: number;
  readonly chunks: readonly (string | Buffer)[];
  /** Leave the answer without an end. */
  readonly keepOpen?: boolean;
}

/** A request as it came in. */
export interface RecordedRequest {
  readonly headers: IncomingMessage["headers"];
  readonly url: string | undefined;
  readonly body: string;
}

/** A server on this machine that records raw bodies and answers as told; it ends with the test. */
export async function startModelServer(
  answer: ModelServerAnswer,
): Promise<{ readonly requests: RecordedRequest[]; readonly baseUrl: string }> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { headers, url } = request;
      requests.push({ headers, url, body: Buffer.concat(parts).toString("utf8") });
      response.writeHead(answer.status ?? 200, { "content-type": "text/event-stream" });
      for (const chunk of answer.chunks) response.write(chunk);
      if (answer.keepOpen !== true) response.end();
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { requests, baseUrl: `http://127.0.0.1:${port}/v1/` };
}

/** One event of a streamed answer. */
export function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A piece of a streamed reply's text. */
export function text(content: string): string {
  return data({ choices: [{ delta: { content }, finish_reason: null }] });
}
