import { foldEvents } from "@promptfold/fold";
import { type AnthropicMessagesBody, mappingIds, renderRequest, verifyPrefix } from "@promptfold/renderer";

const createdAt = "2026-03-02T09:00:00.000Z";
const entries: [type: string, payload: object][] = [
  ["agents/context-added", { role: "system", key: "persona", content: "You are Ada." }],
  ["agents/context-added", { role: "user", content: "Hello!" }],
  ["agent/llm-request-requested", { model: "claude-opus-5" }],
  ["agents/context-added", { role: "assistant", content: "Hi.", llmRequestOffset: 3 }],
  ["agent/llm-request-settled", { requestOffset: 3, result: { status: "succeeded" } }],
  ["agents/context-added", { role: "system", key: "persona", content: "You are Grace." }],
  ["agents/context-added", { role: "user", content: "Who are you?" }],
  ["agent/llm-request-requested", { model: "claude-opus-5" }],
];
const events = entries.map(([type, payload], index) => ({ offset: index + 1, type, payload, createdAt }));

const requestAt = (offset: number, mapping: string) =>
  renderRequest(foldEvents(events, { through: offset }).state, { mapping });

const first = requestAt(3, "anthropic-messages");
const second = requestAt(8, "anthropic-messages");
for (const { role, content } of (second.body as AnthropicMessagesBody).messages) {
  console.log(`${role}: ${JSON.stringify(content.map(({ text }) => text))}`);
}
console.log(second.explanation.at(-1));

for (const mapping of mappingIds) {
  const { held } = verifyPrefix(requestAt(3, mapping).body, requestAt(8, mapping).body);
  console.log(`${mapping} held: ${held}`);
}

const edited = JSON.stringify(second.body).replace("You are Ada.", "You are Eve.");
const { held, break: broken } = verifyPrefix(first.body, edited, { previousBlocks: first.blocks });
console.log(held, broken?.path, `character ${broken?.character}`, broken?.previousOrigin);
