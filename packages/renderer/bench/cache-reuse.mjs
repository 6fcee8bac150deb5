/**
 * What prompt caching is worth to each way of keeping a prompt: a conversation of 1,000 turns under 40 sections of 500
 * tokens, one section changed every 50 turns. Spend is in uncached input tokens: what a request shares with the one
 * before it costs 0.1, everything else 1. Tokens by o200k_base, and 4 for the frame of each message. The bodies are
 * real: the first row's messages are those that this package renders.
 *
 *     node packages/renderer/bench/cache-reuse.mjs
 */
import { parseEvent } from "@promptfold/contract";
import { RequestWriter } from "@promptfold/renderer";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

const TURNS = 1000;
const SECTIONS = 40;
const UPDATE_EVERY = 50;
const CACHED = 0.1;
const FRAME = 4;

const known = new Map();
function tokens(text) {
  let count = known.get(text);
  if (count === undefined) known.set(text, (count = countTokens(text) + FRAME));
  return count;
}

const vocabulary =
  "review the pull request and say which tests are missing before it is merged into the main branch today please".split(
    " ",
  );
function prose(seed, words) {
  const chosen = Array.from(
    { length: words },
    (_, index) => vocabulary[(seed * 31 + index * 7 + (index >> 3)) % vocabulary.length],
  );
  return `${seed}: ${chosen.join(" ")}.`;
}

const section = (key, version) => prose(key * 1000 + version, 485);
const question = (turn) => prose(turn, 40);
const answer = (turn) => prose(turn + 5000, 120);
const time = (turn) => new Date(1.77e12 + turn * 62_000).toISOString();

/** The messages of each request as this package writes them, in order; `withUpdates` and `withStamps` leave parts out. */
function* rendered({ withUpdates, stamp }) {
  const writer = new RequestWriter({ mapping: "openai-chat" });
  let offset = 0;
  const add = (type, payload, createdAt) => {
    offset++;
    const { event } = parseEvent({ offset, type, payload, createdAt });
    writer.add(event);
    return offset;
  };
  for (let key = 0; key < SECTIONS; key++) {
    add("agents/context-added", { role: "system", key: `section-${key}`, content: section(key, 0) }, time(0));
  }
  for (let turn = 1; turn <= TURNS; turn++) {
    if (withUpdates && turn % UPDATE_EVERY === 0) {
      const key = (turn / UPDATE_EVERY) % SECTIONS;
      add(
        "agents/context-added",
        { role: "system", key: `section-${key}`, content: section(key, turn) },
        time(turn),
      );
    }
    add("agents/context-added", { role: "user", content: question(turn) }, time(turn));
    const request = add("agent/llm-request-requested", { model: "m" }, time(turn));
    const { blocks } = writer.write();
    yield blocks.flatMap(({ text, from }) => (from.kind === "request" ? (stamp?.(text) ?? []) : [text]));
    add(
      "agents/context-added",
      { role: "assistant", content: answer(turn), llmRequestOffset: request },
      time(turn),
    );
    add("agent/llm-request-settled", { requestOffset: request, result: { status: "succeeded" } }, time(turn));
  }
}

/** The same conversation kept in other ways. */
function* kept({ system = () => "You are Ada.", sections = () => 0, tail = () => [], window = Infinity }) {
  const history = [];
  for (let turn = 1; turn <= TURNS; turn++) {
    history.push(question(turn));
    const lead = [
      system(turn),
      ...Array.from({ length: SECTIONS }, (_, key) => section(key, sections(key, turn))),
    ];
    yield [...lead, ...history.slice(-window), ...tail(turn)];
    history.push(answer(turn));
  }
}

/** The turn in which a section was last changed, by a turn. */
function version(key, turn) {
  let changed = 0;
  for (let update = UPDATE_EVERY; update <= turn; update += UPDATE_EVERY) {
    if ((update / UPDATE_EVERY) % SECTIONS === key) changed = update;
  }
  return changed;
}

function spend(requests) {
  let total = 0;
  let worst = 0;
  let previous = [];
  for (const texts of requests) {
    let shared = 0;
    while (shared < previous.length && previous[shared] === texts[shared]) shared++;
    let cached = 0;
    let fresh = 0;
    texts.forEach((text, index) => {
      if (index < shared) cached += tokens(text);
      else fresh += tokens(text);
    });
    total += cached * CACHED + fresh;
    if (previous.length > 0) worst = Math.max(worst, fresh);
    previous = texts;
  }
  return { total, worst };
}

const shorten = (text) => text.replace(/:\d\d\.\d{3}Z$/, "Z");
const rows = [
  ["pure append, no stamps, no updates", () => rendered({ withUpdates: false })],
  ["append-only, no stamps", () => rendered({ withUpdates: true })],
  [
    "append-only, stamps (what this package sends)",
    () => rendered({ withUpdates: true, stamp: (text) => [text] }),
  ],
  [
    "  the same, stamps to the second",
    () => rendered({ withUpdates: true, stamp: (text) => [text.replace(/\.\d{3}Z$/, "Z")] }),
  ],
  [
    "  the same, stamps to the minute",
    () => rendered({ withUpdates: true, stamp: (text) => [shorten(text)] }),
  ],
  ["sections edited in place", () => kept({ sections: version })],
  [
    "floating timestamp at the tail",
    () => kept({ sections: version, tail: (turn) => [`Requested at: ${time(turn)}`] }),
  ],
  [
    "timestamp in the system prompt",
    () => kept({ system: (turn) => `You are Ada. It is ${time(turn)}.`, sections: version }),
  ],
  ["sliding window of 200 messages", () => kept({ sections: version, window: 200 })],
];

const results = rows.map(([name, requests]) => ({ name, ...spend(requests()) }));
const base = results[0].total;
console.log(
  `${"".padEnd(48)} ${"relative".padStart(9)} ${"tokens paid".padStart(13)} ${"most in one request".padStart(20)}`,
);
for (const { name, total, worst } of results) {
  console.log(
    `${name.padEnd(48)} ${(total / base).toFixed(2).padStart(9)} ${Math.round(total).toLocaleString("en-US").padStart(13)} ${worst.toLocaleString("en-US").padStart(20)}`,
  );
}
const stamp = `Requested at: ${time(1)}`;
console.log(
  `\na stamp weighs ${tokens(stamp)} tokens: ${FRAME} for its frame, ${countTokens(stamp) - countTokens("Requested at:")} for the time`,
);
