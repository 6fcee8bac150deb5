/**
 * A small agent with a common fault: it tells the time in its system text. It writes what it sends to a file:
 *
 *     node examples/doctor/agent.mjs requests.jsonl
 *     node examples/doctor/agent.mjs requests.jsonl --time-last
 *
 * The second way puts the time behind the question instead. The model is played by a function, so no key is needed.
 */
import { rmSync } from "node:fs";
import { recordingFetch } from "./record-requests.mjs";

const [file = "requests.jsonl", option] = process.argv.slice(2);
const isTimeLast = option === "--time-last";

const plants = [
  "rose",
  "bean",
  "thyme",
  "fern",
  "aster",
  "leek",
  "mint",
  "pear",
  "sage",
  "iris",
  "kale",
  "plum",
];
const sizes = ["seed", "plug", "pot", "tray", "tub", "crate"];
const stock = plants.flatMap((plant, row) =>
  sizes.map((size, column) => `- ${plant}, ${size}: ${row + 2} on shelf ${row + 1}, $${column + 1}.50 each`),
);
const turns = [
  { time: "09:00", question: "Have you roses in pots?", answer: "Two, on shelf 1." },
  { time: "09:04", question: "And what is a tray of mint?", answer: "$4.50." },
  { time: "09:07", question: "I take one. Where is it?", answer: "On shelf 7." },
];

rmSync(file, { force: true });
const fetch = recordingFetch(file, () => Promise.resolve(new globalThis.Response("{}")));
const history = [];
for (const { time, question, answer } of turns) {
  const now = `It is ${time} on March 2, 2026.`;
  const system = `You help in a garden shop.${isTimeLast ? "" : ` ${now}`} In stock are:\n${stock.join("\n")}`;
  history.push({ role: "user", content: question });
  if (isTimeLast) history.push({ role: "developer", content: now });
  await fetch("https://api.openai.com/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ model: "gpt-5", messages: [{ role: "system", content: system }, ...history] }),
  });
  history.push({ role: "assistant", content: answer });
}
