import type { ModelReply } from "@promptfold/agent-llm-request";
import type { TokenCounter } from "@promptfold/check";
import { isPlainObject } from "@promptfold/contract";
import { type BodyBlock, readBody } from "@promptfold/renderer";
import { formatCount } from "../text/format-count.ts";

const measurePrompt = `const sections = new Map();
for (const { offset, by, payload } of await host.stream.events()) {
  if (payload.key === undefined) continue;
  const { key, content } = payload;
  const versions = (sections.get(key)?.versions ?? 0) + 1;
  sections.set(key, { key, words: content.split(/\\s+/).length, versions, by, offset });
}
const all = [...sections.values()].sort((a, b) => b.words - a.words);
return {
  sections: all.length,
  words: all.reduce((sum, { words }) => sum + words, 0),
  longest: all[0],
  changed: all.filter(({ versions }) => versions > 1),
};`;

/**
 * The reply of the scripted model, decided by the request's body alone, so that any process gives the same one: to a
 * message a script that measures the agent's own prompt, in the reply format that the prompt asks for; to the script's
 * result an answer made from it. Its tokens are counted with `countTokens`, not invented.
 */
export function scriptedReply(body: unknown, countTokens: TokenCounter): ModelReply {
  const { blocks } = readBody(body);
  const text = replyText(blocks);
  const inputTokens = blocks.reduce((sum, block) => sum + countTokens(block.text), 0);
  return { text, finishReason: "stop", usage: { inputTokens, outputTokens: countTokens(text) } };
}

function replyText(blocks: readonly BodyBlock[]): string {
  const latest = blocks.findLast(({ text }) => !text.startsWith("Requested at: "));
  if (latest === undefined || latest.role === "user" || !latest.text.startsWith("Your script ")) {
    return requestScript(blocks);
  }
  return answer(latest.text);
}

function requestScript(blocks: readonly BodyBlock[]): string {
  const prose = "I'll read my own stream and measure the prompt that is in it.";
  const asksForTags = blocks.some(({ role, text }) => role !== "user" && text.includes("<codemode status="));
  return asksForTags
    ? `${prose}\n\n<codemode status="Measuring the prompt">\n${measurePrompt}\n</codemode>`
    : `${prose}\n\n\`\`\`ts\nasync (host) => {\n${measurePrompt.replace(/^/gm, "  ")}\n}\n\`\`\``;
}

function answer(report: string): string {
  const json = /^(`{3,})json\n([\s\S]*?)\n\1/m.exec(report)?.[2];
  const result: unknown = json === undefined ? undefined : JSON.parse(json);
  if (!isPlainObject(result) || !isPlainObject(result["longest"])) {
    return `The measuring did not work out. ${report.split("\n", 1)[0] ?? ""}`;
  }
  const { sections, words, longest, changed } = result;
  const changes = Array.isArray(changed) ? changed.filter(isPlainObject) : [];
  return [
    `My prompt has ${String(sections)} sections and ${formatCount(Number(words))} words;`,
    `the longest section is \`${String(longest["key"])}\` with ${formatCount(Number(longest["words"]))} words.`,
    changes.length === 0
      ? "Nobody has changed it since I was born."
      : `Changed since I was born: ${changes.map(describeChange).join(", ")}.`,
  ].join(" ");
}

function describeChange({ key, by, offset }: Readonly<Record<string, unknown>>): string {
  return `\`${String(key)}\` (by ${String(by)}, offset ${String(offset)})`;
}
