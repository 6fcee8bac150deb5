import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { StoredEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { expect, it } from "vitest";
import { mappingIds, renderRequest } from "../index.ts";

function readVectors(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}`, import.meta.url), "utf8"));
}

const released = readVectors("mapping-bytes.json") as Record<string, string>;
const streams = ["fold.json", "prefix.json"].flatMap(
  (name) => readVectors(name) as { name: string; events: StoredEvent[] }[],
);
const models = ["gpt-5.6", "gpt-5", "claude-opus-5", "claude-sonnet-4-5"];
const settings = [{}, { cacheTtl: "1h", maxOutputTokens: 100, thinkingBudget: 2000 }];

/** A hash of the body that every recorded stream renders to at each of its events, for models that differ. */
function bodyBytes(mapping: string): string {
  const hash = createHash("sha256");
  for (const { name, events } of streams) {
    for (const { offset } of events) {
      const { state } = foldEvents(events, { through: offset });
      for (const model of models) {
        for (const parameters of settings) {
          const options = { mapping, model, parameters, protocol: "1", stream: "/agents/a" };
          hash.update(`${name}@${offset}\n${JSON.stringify(renderRequest(state, options).body)}\n`);
        }
      }
    }
  }
  return hash.digest("hex");
}

it.each(mappingIds)("%s writes the bytes that it was released with", (mapping) => {
  expect(
    bodyBytes(mapping),
    `Recorded streams render to other bodies under ${mapping}. A released mapping never changes, since old requests are ` +
      `mapped with it again: make it a new version, and add that version's hash to vectors/mapping-bytes.json.`,
  ).toBe(released[mapping]);
});
