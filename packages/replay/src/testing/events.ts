import {
  CONTEXT_ADDED,
  CONTRACT_VERSION,
  LLM_REQUEST_REQUESTED,
  LLM_REQUEST_SETTLED,
  type StoredEvent,
} from "@promptfold/contract";

/** Events at offsets from 1 on, a second apart. */
export function stream(...events: readonly [type: string, payload: unknown][]): StoredEvent[] {
  return events.map(([type, payload], index) => ({
    offset: index + 1,
    type,
    payload,
    createdAt: new Date(Date.parse("2026-03-02T09:00:00.000Z") + index * 1000).toISOString(),
  }));
}

export const question = (content: string): [string, unknown] => [CONTEXT_ADDED, { role: "user", content }];
export const section = (key: string, content: string): [string, unknown] => [
  CONTEXT_ADDED,
  { role: "system", key, content },
];
export const request: [string, unknown] = [
  LLM_REQUEST_REQUESTED,
  { model: "m", contractVersion: CONTRACT_VERSION },
];
const answer = (requestOffset: number, content: string): [string, unknown] => [
  CONTEXT_ADDED,
  { role: "assistant", content, llmRequestOffset: requestOffset },
];
export const settled = (requestOffset: number): [string, unknown] => [
  LLM_REQUEST_SETTLED,
  { requestOffset, result: { status: "succeeded" } },
];
export const summary = (through: number): [string, unknown] => [
  CONTEXT_ADDED,
  { role: "developer", content: "SUMMARY", compaction: { replacesHistoryThrough: through } },
];

/** Two turns, a compaction and a third one; then a guarded request, an unknown event and a malformed one. */
export const conversation: readonly StoredEvent[] = stream(
  section("persona", "P"), // 1
  section("rules", "Always sign commits."), // 2
  question("one"), // 3
  request, // 4
  answer(4, "first answer"), // 5
  settled(4), // 6
  question("two"), // 7
  request, // 8
  answer(8, "second answer"), // 9
  settled(8), // 10
  summary(8), // 11
  question("three"), // 12
  request, // 13
  request, // 14: guarded
  ["garden/rain-fell", { mm: 4 }], // 15
  [CONTEXT_ADDED, { role: "user" }], // 16: malformed
);
