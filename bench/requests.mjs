/**
 * Requests: the next one beside stringifying only its new messages, a whole one beside stringifying its body, a past one
 * replayed beside reading the same bytes from a file, and what a conversation of 1,000 turns costs with prompt caching.
 */
import { parseEvent } from "@promptfold/contract";
import { foldEvents } from "@promptfold/fold";
import { mappingIds, renderRequest, RequestWriter } from "@promptfold/renderer";
import { replayRequest, replayState } from "@promptfold/replay";
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TextDecoder } from "node:util";
import { named, printClaims, printTable, time, timeAsync, timingOf } from "./measure.mjs";

/** @typedef {import("@promptfold/contract").StoredEvent} StoredEvent */
/** @typedef {import("./measure.mjs").Claim} Claim */

const text = 'The quick brown fox jumps over the lazy dog, again and again; "quoted" and\nbroken.\n'.repeat(
  6,
);

/** @param {number} turn */
function timeOf(turn) {
  return new Date(Date.UTC(2026, 2, 2) + turn * 62_000).toISOString();
}

/**
 * A model that makes each mapping do all that it can, cache marks included.
 *
 * @param {string} mapping
 */
function modelOf(mapping) {
  return mapping.startsWith("openai") ? "gpt-5.6" : "claude-opus-5";
}

/** Numbers events and keeps them or hands them on. */
class Stream {
  #offset = 0;
  /** @type {(event: StoredEvent) => void} */
  #accept;
  #model;

  /**
   * @param {(event: StoredEvent) => void} accept
   * @param {string} [model]
   */
  constructor(accept, model = "claude-opus-5") {
    this.#accept = accept;
    this.#model = model;
  }

  /**
   * @param {string} type
   * @param {unknown} payload
   * @param {number} turn
   */
  add(type, payload, turn) {
    const offset = ++this.#offset;
    this.#accept({ offset, type, payload, createdAt: timeOf(turn) });
    return offset;
  }

  /**
   * @param {string} content
   * @param {number} turn
   */
  ask(content, turn) {
    this.add("agents/context-added", { role: "user", content }, turn);
    return this.add("agent/llm-request-requested", { model: this.#model }, turn);
  }

  /**
   * @param {string} content
   * @param {number} requestOffset
   * @param {number} turn
   */
  answer(content, requestOffset, turn) {
    this.add("agents/context-added", { role: "assistant", content, llmRequestOffset: requestOffset }, turn);
    this.add("agent/llm-request-settled", { requestOffset, result: { status: "succeeded" } }, turn);
  }
}

/**
 * @param {RequestWriter} writer
 * @param {StoredEvent} stored
 */
function write(writer, stored) {
  const parsed = parseEvent(stored);
  if (parsed.kind === "known") writer.add(parsed.event);
}

/**
 * A string made of parts is joined when somebody first looks inside: look, so that nobody pays for it later.
 *
 * @param {string} parts
 */
function joined(parts) {
  parts.charCodeAt(1);
  return parts;
}

/**
 * One conversation continued for some turns: the time of each next request, and of stringifying what is new in it.
 *
 * @param {string} mapping
 * @param {number} messages
 */
function nextRequests(mapping, messages) {
  const turns = 301;
  const writer = new RequestWriter({ mapping });
  /** @type {StoredEvent[]} */
  const events = [];
  const stream = new Stream((event) => {
    events.push(event);
    write(writer, event);
  }, modelOf(mapping));
  for (let key = 0; key < 40; key++) {
    const content = text.repeat(4);
    stream.add("agents/context-added", { role: "system", key: `section-${key}`, content }, 0);
  }
  const next = [];
  const newOnly = [];
  // Three messages a turn: the question, its stamp and the answer.
  const before = Math.floor(messages / 3) - turns;
  for (let turn = 1; turn <= before + turns; turn++) {
    const request = stream.ask(joined(`${turn} ${text}`), turn);
    if (turn >= before) {
      let start = performance.now();
      const { bytes } = writer.write();
      const elapsed = performance.now() - start;
      const added = [
        { role: "assistant", content: joined(`${turn - 1} answer: ${text}`) },
        { role: "user", content: joined(`${turn} ${text}`) },
        { role: "developer", content: `Requested at: ${timeOf(turn)}` },
      ];
      start = performance.now();
      const stringified = JSON.stringify(added);
      // The first one writes everything.
      if (turn > before && bytes.length > stringified.length) {
        newOnly.push(performance.now() - start);
        next.push(elapsed);
      }
    }
    stream.answer(joined(`${turn} answer: ${text}`), request, turn);
  }
  return { next: timingOf(next), newOnly: timingOf(newOnly), events };
}

/** @type {Claim[]} */
const nextClaims = [];
/** @type {Claim[]} */
const fullClaims = [];
for (const mapping of mappingIds) {
  // The compiler gets its work done before anything counts: it takes some thousand requests to begin with it.
  for (let round = 0; round < 8; round++) nextRequests(mapping, 2_000);
  for (const messages of [1_000, 10_000]) {
    const { next, newOnly, events } = nextRequests(mapping, messages);
    const what = `${mapping}, ${messages.toLocaleString("en")} messages`;
    nextClaims.push({ claim: what, ours: next, theirs: newOnly, most: 3 });
    const { state } = foldEvents(events);
    const { body } = renderRequest(state, { mapping });
    const times = time(
      [
        { name: "render", run: () => renderRequest(state, { mapping }).body },
        { name: "stringify", run: () => JSON.stringify(body) },
      ],
      { rounds: 15, warmup: 5, clock: "cpu", collect: false },
    );
    fullClaims.push({
      claim: what,
      ours: named(times, "render"),
      theirs: named(times, "stringify"),
      most: 0.9,
    });
  }
}
printClaims("The next request / JSON.stringify of its new messages; wall time", nextClaims);
printClaims("A whole request from the state / JSON.stringify of its body; CPU time", fullClaims);

const piece = 1 << 18;

/**
 * Writes 100,000 events, 83 MB.
 *
 * @param {string} path
 */
function writeLog(path) {
  const file = openSync(path, "w");
  const long = "The quick brown fox jumps over the lazy dog, and so on. ".repeat(25);
  let lines = "";
  let bytes = 0;
  const flush = () => {
    bytes += writeSync(file, lines);
    lines = "";
  };
  const stream = new Stream((event) => {
    lines += `${JSON.stringify(event)}\n`;
    if (lines.length > piece) flush();
  });
  stream.add("agents/context-added", { role: "system", key: "persona", content: "You are Ada." }, 0);
  for (let turn = 1; turn <= 25_000; turn++) {
    stream.answer(`answer ${turn} ${long}`, stream.ask(`question ${turn} ${long}`, turn), turn);
  }
  flush();
  closeSync(file);
  return bytes;
}

/**
 * The file in pieces of whole lines, as text, until there were so many lines: read as programs read a file that may not
 * fit into memory.
 *
 * @param {string} path
 * @param {number} lines
 */
async function* pieces(path, lines) {
  const decoder = new TextDecoder();
  let rest = "";
  let count = 0;
  for await (const bytes of createReadStream(path, { highWaterMark: piece })) {
    const read = rest + decoder.decode(bytes, { stream: true });
    const end = read.lastIndexOf("\n") + 1;
    rest = read.slice(end);
    const whole = read.slice(0, end);
    yield whole;
    for (let at = whole.indexOf("\n"); at !== -1; at = whole.indexOf("\n", at + 1)) count++;
    if (count >= lines) return;
  }
}

/**
 * @param {string} path
 * @param {number} lines
 */
async function* pages(path, lines) {
  for await (const whole of pieces(path, lines)) {
    const texts = whole.split("\n");
    texts.pop();
    yield texts.map((line) => /** @type {StoredEvent} */ (JSON.parse(line)));
  }
}

const folder = mkdtempSync(join(tmpdir(), "promptfold-bench-"));
try {
  const path = join(folder, "stream.jsonl");
  const bytes = writeLog(path);
  // Here too the compiler comes first.
  await replayState(pages(path, 20_000), 20_000);
  /** @type {Claim[]} */
  const claims = [];
  for (const offset of [999, 19_999, 98_999]) {
    const times = await timeAsync(
      [
        {
          name: "read",
          async run() {
            let length = 0;
            for await (const whole of pieces(path, offset)) length += whole.length;
            return length;
          },
        },
        {
          name: "parse",
          async run() {
            let count = 0;
            for await (const page of pages(path, offset)) count += page.length;
            return count;
          },
        },
        {
          name: "replay",
          async run() {
            const { opened, body } = await replayRequest(pages(path, offset), offset);
            return opened ? body : undefined;
          },
        },
      ],
      // Collecting before a short replay would make it begin with code to compile again.
      offset < 10_000
        ? { rounds: 61, warmup: 30, clock: "cpu", collect: false }
        : { rounds: 7, warmup: 1, clock: "cpu" },
    );
    const ours = named(times, "replay");
    const at = `at ${offset.toLocaleString("en")}`;
    claims.push(
      { claim: `${at} / reading as text`, ours, theirs: named(times, "read"), most: 3 },
      { claim: `${at} / reading and JSON.parse`, ours, theirs: named(times, "parse") },
    );
  }
  printClaims(`Replay of a stream of ${Math.round(bytes / 1e6)} MB in 100,001 events; CPU time`, claims);
} finally {
  rmSync(folder, { recursive: true });
}

const turns = 1_000;
const sectionCount = 40;
const updateEvery = 50;
/** What a cached token costs, and how many tokens frame a message. */
const cachedPrice = 0.1;
const frame = 4;

const words =
  "review the pull request and say which tests are missing before it is merged into the main branch today please".split(
    " ",
  );

/**
 * @param {number} seed
 * @param {number} length
 */
function prose(seed, length) {
  const chosen = Array.from(
    { length },
    (_, index) => words[(seed * 31 + index * 7 + (index >> 3)) % words.length],
  );
  return `${seed}: ${chosen.join(" ")}.`;
}

const section = (/** @type {number} */ key, /** @type {number} */ version) =>
  prose(key * 1_000 + version, 485);
const question = (/** @type {number} */ turn) => prose(turn, 40);
const answer = (/** @type {number} */ turn) => prose(turn + 5_000, 120);

/** The turn in which a section was last changed. */
function versionAt(/** @type {number} */ key, /** @type {number} */ turn) {
  let changed = 0;
  for (let update = updateEvery; update <= turn; update += updateEvery) {
    if ((update / updateEvery) % sectionCount === key) changed = update;
  }
  return changed;
}

/**
 * The messages of each request as the renderer writes them; `stamp` rewrites the stamps, or leaves them out.
 *
 * @param {{ updates: boolean, stamp?: (text: string) => string }} options
 */
function* appendOnly({ updates, stamp }) {
  const writer = new RequestWriter({ mapping: "openai-chat" });
  const stream = new Stream((event) => {
    write(writer, event);
  });
  const update = (/** @type {number} */ key, /** @type {number} */ version) =>
    stream.add(
      "agents/context-added",
      { role: "system", key: `section-${key}`, content: section(key, version) },
      version,
    );
  for (let key = 0; key < sectionCount; key++) update(key, 0);
  for (let turn = 1; turn <= turns; turn++) {
    if (updates && turn % updateEvery === 0) update((turn / updateEvery) % sectionCount, turn);
    const request = stream.ask(question(turn), turn);
    /** @type {string[]} */
    const texts = [];
    for (const { text, from } of writer.write().blocks) {
      if (from?.kind !== "request") texts.push(text);
      else if (stamp !== undefined) texts.push(stamp(text));
    }
    yield texts;
    stream.answer(answer(turn), request, turn);
  }
}

/**
 * The same conversation kept in other ways.
 *
 * @param {{ system?: (turn: number) => string, tail?: (turn: number) => string[], window?: number }} options
 */
function* rebuilt({ system = () => "You are Ada.", tail = () => [], window = Infinity }) {
  /** @type {string[]} */
  const history = [];
  for (let turn = 1; turn <= turns; turn++) {
    history.push(question(turn));
    const sections = Array.from({ length: sectionCount }, (_, key) => section(key, versionAt(key, turn)));
    yield [system(turn), ...sections, ...history.slice(-window), ...tail(turn)];
    history.push(answer(turn));
  }
}

// Its tables are far larger than any request: they would weigh on the collections of garbage above.
const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");

/** @type {Map<string, number>} */
const counted = new Map();

/** @param {string} message */
function tokens(message) {
  let count = counted.get(message);
  if (count === undefined) counted.set(message, (count = countTokens(message) + frame));
  return count;
}

/**
 * What requests cost in uncached tokens: what a request shares with the one before it is read from cache.
 *
 * @param {Iterable<readonly string[]>} requests
 */
function spend(requests) {
  let total = 0;
  let worst = 0;
  /** @type {readonly string[]} */
  let previous = [];
  for (const messages of requests) {
    let shared = 0;
    while (shared < previous.length && previous[shared] === messages[shared]) shared++;
    let fresh = 0;
    for (const [index, message] of messages.entries()) {
      if (index < shared) total += tokens(message) * cachedPrice;
      else fresh += tokens(message);
    }
    total += fresh;
    if (previous.length > 0) worst = Math.max(worst, fresh);
    previous = messages;
  }
  return { total, worst };
}

/** Writes a stamp's date where it is another one than in the stamp before. The same stamp always reads the same. */
function withoutKnownDate() {
  /** @type {Map<string, string>} */
  const written = new Map();
  let date = "";
  return (/** @type {string} */ stamp) => {
    let short = written.get(stamp);
    if (short === undefined) {
      const [, day = "", time = ""] = /(\S+)T(\S+)$/.exec(stamp) ?? [];
      short = day === date ? stamp.replace(`${day}T`, "") : stamp;
      date = day;
      written.set(stamp, short);
      if (time === "") throw new Error(`no stamp: ${stamp}`);
    }
    return short;
  };
}

/** Writes whole minutes since the first stamp. */
function minutesSinceFirst() {
  /** @type {number | undefined} */
  let first;
  return (/** @type {string} */ stamp) => {
    const time = Date.parse(stamp.replace("Requested at: ", ""));
    first ??= time;
    return time === first ? stamp : `Requested at: +${Math.round((time - first) / 60_000)} min`;
  };
}

const stampOf = (/** @type {number} */ turn) => `Requested at: ${timeOf(turn)}`;
const base = spend(appendOnly({ updates: false }));
/** @type {[string, Iterable<readonly string[]>][]} */
const ways = [
  ["append-only, no stamps", appendOnly({ updates: true })],
  ["append-only, stamps: what the renderer sends", appendOnly({ updates: true, stamp: (stamp) => stamp })],
  [
    "  stamps to the second",
    appendOnly({ updates: true, stamp: (stamp) => stamp.replace(/\.\d{3}Z$/, "Z") }),
  ],
  [
    "  stamps to the minute",
    appendOnly({ updates: true, stamp: (stamp) => stamp.replace(/:\d\d\.\d{3}Z$/, "Z") }),
  ],
  ["  the date only when it changes", appendOnly({ updates: true, stamp: withoutKnownDate() })],
  ["  the date, then minutes since then", appendOnly({ updates: true, stamp: minutesSinceFirst() })],
  ["sections edited in place", rebuilt({})],
  ["floating timestamp at the tail", rebuilt({ tail: (turn) => [stampOf(turn)] })],
  ["timestamp in the system prompt", rebuilt({ system: (turn) => `You are Ada. It is ${timeOf(turn)}.` })],
  ["sliding window of 200 messages", rebuilt({ window: 200 })],
];
printTable(
  "1,000 turns under 40 sections of 500 tokens, one changed every 50 turns: tokens paid, cached ones at 0.1",
  [
    ["pure append, no stamps, no updates", base],
    ...ways.map(([name, requests]) => [name, spend(requests)]),
  ].map(([name, spent]) => {
    const { total, worst } = /** @type {ReturnType<typeof spend>} */ (spent);
    return {
      "kept as": String(name),
      relative: (total / base.total).toFixed(2),
      "tokens paid": Math.round(total).toLocaleString("en"),
      "most in one later request": worst.toLocaleString("en"),
    };
  }),
);
const bare = countTokens("Requested at:");
console.log(
  `\nA stamp weighs ${tokens(stampOf(1))} tokens: ${frame} for the frame of its message, ${bare} for its words, ` +
    `${tokens(stampOf(1)) - frame - bare} for the time.`,
);
