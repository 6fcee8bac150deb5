import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { CONTRACT_VERSION, type StoredEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { renderMessages } from "@promptfold/renderer";
import { expect, it } from "vitest";

interface RecordedStream {
  readonly name: string;
  readonly events: readonly StoredEvent[];
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
}

/** A hash of what every recorded stream renders to, at each of its events. */
function renderedBytes(): string {
  const hash = createHash("sha256");
  for (const file of ["fold.json", "prefix.json"]) {
    for (const { name, events } of readJson(`../../packages/renderer/vectors/${file}`) as RecordedStream[]) {
      for (const { offset } of events) {
        const messages = renderMessages(foldEvents(events, { through: offset }).state);
        hash.update(`${name}@${offset}\n${JSON.stringify(messages)}\n`);
      }
    }
  }
  return hash.digest("hex");
}

it("the contract version changes whenever a recorded stream renders to other bytes", () => {
  const released = readJson("./rendered-bytes.json") as Record<string, string>;
  expect(
    released[CONTRACT_VERSION],
    `Recorded streams render to other bytes than under contract ${CONTRACT_VERSION}. If that is meant, raise ` +
      `CONTRACT_VERSION and add its hash to tests/laws/rendered-bytes.json; a hash once released never changes.`,
  ).toBe(renderedBytes());
});
