/**
 * The section grammar on 101 KB with 40 sections, beside a bare `indexOf` scan for the same tags, which checks nothing and
 * makes nothing but the contents, and beside htmlparser2, which reads the same text as XML.
 */
import { parseSections, serializeSections } from "@promptfold/parser";
import { Parser } from "htmlparser2";
import { formatDuration, named, printClaims, printTable, time } from "./measure.mjs";

const count = 40;
const paragraph = "Answer in the language of the question, and say so when you do not know something.\n";
const content = paragraph.repeat(30).trimEnd();
const sections = Array.from({ length: count }, (_, index) => ({
  key: `section-${index}`,
  content: `${content} (${index})`,
}));
const text = serializeSections(sections);

/** @typedef {{ key: string, content: string }} Section */

/**
 * The least that finds the sections of a faultless text.
 *
 * @param {string} source
 */
function scan(source) {
  /** @type {Section[]} */
  const found = [];
  const open = '<section key="';
  for (let start = source.indexOf(open); start !== -1;) {
    const keyEnd = source.indexOf('"', start + open.length);
    const end = source.indexOf("</section>", keyEnd);
    found.push({
      key: source.slice(start + open.length, keyEnd),
      content: source.slice(keyEnd + 3, end - 1),
    });
    start = source.indexOf(open, end);
  }
  return found;
}

/** @param {string} source */
function parseXml(source) {
  /** @type {Section[]} */
  const found = [];
  /** @type {Section | undefined} */
  let section;
  const parser = new Parser(
    {
      onopentag(_name, { key = "" }) {
        section = { key, content: "" };
      },
      ontext(part) {
        if (section !== undefined) section.content += part;
      },
      onclosetag() {
        if (section !== undefined) found.push({ key: section.key, content: section.content.slice(1, -1) });
        section = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(source);
  return found;
}

const expected = JSON.stringify(sections);
for (const found of [parseSections(text, { fallbackKey: "prompt" }), scan(text), parseXml(text)]) {
  if (JSON.stringify(found) !== expected) throw new Error("a parser found other sections");
}

const times = time(
  [
    { name: "parseSections", run: () => parseSections(text, { fallbackKey: "prompt" }) },
    { name: "indexOf", run: () => scan(text) },
    { name: "htmlparser2", run: () => parseXml(text) },
    { name: "serializeSections", run: () => serializeSections(sections).charCodeAt(9) },
  ],
  { rounds: 101, warmup: 60, repeat: 40, clock: "cpu" },
);
const of = (/** @type {string} */ name) => named(times, name);
console.log(`${text.length.toLocaleString("en")} characters, ${count} sections; CPU time of one run`);
printClaims("Parsed", [
  {
    claim: "parseSections / an indexOf scan",
    ours: of("parseSections"),
    theirs: of("indexOf"),
    most: 10,
  },
  {
    claim: "parseSections / htmlparser2",
    ours: of("parseSections"),
    theirs: of("htmlparser2"),
    fasterBy: 20,
  },
]);
printTable("Beside it", [
  { what: "serializeSections", median: formatDuration(of("serializeSections").median) },
]);
