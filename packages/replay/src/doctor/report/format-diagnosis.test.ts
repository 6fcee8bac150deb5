import { describe, expect, it } from "vitest";
import { diagnoseBodies, formatDiagnosis } from "../../index.ts";

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const options = { countTokens: words, minimumTokens: 0 };

interface Request {
  readonly system?: string;
  readonly tools?: readonly string[];
  readonly model?: string;
}

/** The bodies of one conversation that grows by a turn with each request. */
function grow(requests: readonly Request[]): object[] {
  return requests.map(({ system = "Be brief.", tools = [], model = "gpt-5" }, index) => ({
    model,
    tools: tools.map((name) => ({ type: "function", function: { name } })),
    messages: [
      { role: "system", content: system },
      ...Array.from({ length: 2 * index + 1 }, (_, turn) => ({
        role: turn % 2 === 0 ? "user" : "assistant",
        content: `turn ${turn}`,
      })),
    ],
  }));
}

const clocks = Array.from({ length: 6 }, (_, index) => ({ system: `Now: 10:0${index}. Be brief.` }));
const heads = (text: string): string[] =>
  text.split("\n").filter((line) => line.includes(" (compared with "));

describe("formatDiagnosis on breaks that are alike", () => {
  const diagnosis = diagnoseBodies(grow([...clocks, { system: "Be kind." }]), {
    ...options,
    prices: { "gpt-5": { input: 100_000, cachedInput: 0 } },
  });

  it("tells the first three, how many more there are, and what all come to, worst first", () => {
    const text = formatDiagnosis(diagnosis, { howToSeeAll: "--all tells each" });
    expect(heads(text)).toEqual([
      "body 2: a clock in the prompt (compared with body 1)",
      "body 3: a clock in the prompt (compared with body 2)",
      "body 4: a clock in the prompt (compared with body 3)",
      "body 7: the system text was edited (compared with body 6)",
    ]);
    expect(text).toContain(
      "at the end instead.\n  alike   2 more breaks, the next in body 5; --all tells each\n\nbody 7: ",
    );
    expect(text).toMatch(
      new RegExp(
        String.raw`

Breaks by cause and place, worst first:
  \d+ tokens  \$\d+\.\d+  5 times  a clock in the prompt, messages\[0\]\.content, system, first in body 2
  \d+ tokens  \$\d+\.\d+ {5}once  the system text was edited, messages\[0\]\.content, system, first in body 7

7 bodies in 1 conversation, 6 breaks\.
`,
      ),
    );
    const lost = [...text.matchAll(/^ +(\d+) tokens {2}\$([\d.]+)/gm)];
    expect(lost.reduce((sum, [, tokens]) => sum + Number(tokens), 0)).toBe(diagnosis.lostTokens);
    expect(lost.reduce((sum, [, , money]) => sum + Number(money), 0)).toBeCloseTo(
      diagnosis.lostMoney ?? 0,
      1,
    );
  });

  it("tells as many as it is asked for, and at least one", () => {
    const all = formatDiagnosis(diagnosis, { maxAlike: Infinity, howToSeeAll: "--all tells each" });
    expect(heads(all)).toHaveLength(6);
    expect(all).not.toContain("alike");
    expect(all).not.toContain("--all");
    for (const maxAlike of [1, 0, -5, Number.NaN]) {
      const text = formatDiagnosis(diagnosis, { maxAlike });
      expect(heads(text)).toHaveLength(2);
      expect(text).toContain("  alike   4 more breaks, the next in body 3\n");
    }
    expect(formatDiagnosis(diagnosis, { maxAlike: 4 })).toContain(
      "  alike   1 more break, the next in body 6\n",
    );
  });

  it("says what else changed in bodies that it does not tell", () => {
    const models = clocks.map((each, index) => ({ ...each, model: index > 3 ? "gpt-5-mini" : "gpt-5" }));
    expect(formatDiagnosis(diagnoseBodies(grow(models), options))).toContain(
      "5 times  a clock in the prompt, messages[0].content, system, first in body 2; also another model, once\n",
    );
  });

  it("counts characters without a tokenizer, and says so where nothing is lost", () => {
    const bodies = grow(clocks);
    expect(formatDiagnosis(diagnoseBodies(bodies))).toMatch(
      /^ {2}\d+ characters {2}5 times {2}a clock in the prompt, /m,
    );
    expect(formatDiagnosis(diagnoseBodies(bodies, { countTokens: words }))).toContain(
      "\n  nothing lost  5 times  a clock in the prompt, ",
    );
  });

  it("adds nothing up where there is one break", () => {
    expect(formatDiagnosis(diagnoseBodies(grow(clocks.slice(0, 2)), options))).not.toContain("by cause");
  });

  it("stays short with many breaks", () => {
    const { breaks } = diagnosis;
    const many = { ...diagnosis, breaks: Array.from({ length: 5000 }, () => breaks).flat() };
    const text = formatDiagnosis({ ...many, breaks: many.breaks.map((each) => ({ ...each })) });
    expect(text.split("\n").length).toBeLessThan(70);
    expect(text).toContain("24997 more breaks");
    expect(text).toContain("25000 times  a clock in the prompt");
  });
});

describe("formatDiagnosis on tools", () => {
  it.each([
    ["all are gone", ["a", "b"], [], "tools[0]", "before  ▸", "now"],
    ["the last is gone", ["a", "b"], ["a"], "tools[1]", "before  ▸", "now"],
    ["the first ones come", [], ["a"], "tools[0]", "now     ▸", "before"],
    ["one more comes", ["a"], ["a", "b"], "tools[1]", "now     ▸", "before"],
  ])("shows tools and no other text where %s", (_, before, after, path, shown, missing) => {
    const text = formatDiagnosis(diagnoseBodies(grow([{ tools: before }, { tools: after }]), options));
    expect(text).toContain("another set of tools");
    expect(text).toContain(`  where   ${path}, tool-definition, character 0, byte 0\n`);
    expect(text).toContain(`  ${shown}{"type":"function"`);
    expect(text).not.toContain(`\n  ${missing} `);
    expect(text).not.toContain("Be brief.");
  });

  it("does not say twice that it is about tools", () => {
    const text = formatDiagnosis(
      diagnoseBodies(grow([{ tools: ["a", "b"] }, { tools: ["a"] }, { tools: ["c"] }]), options),
    );
    expect(text).toContain("2 times  another set of tools, first in body 2\n");
  });
});

describe("formatDiagnosis on bodies that are not readable", () => {
  const bodies = ["{", "<html>", '{"a": 1', "{}", "[", "{}"];

  it("says each reason once, with the first places, and how many more there are", () => {
    const text = formatDiagnosis(diagnoseBodies(bodies), { howToSeeAll: "--all names each" });
    expect(text.match(/passed over/g)).toHaveLength(2);
    expect(text).toMatch(
      /^body 1: passed over, .* not JSON \(.*\n {2}alike {3}body 2, body 3, 1 more; --all names each\n\n/,
    );
    expect(text).toMatch(/\nbody 4: passed over, .*\n {2}alike {3}body 6\n\n/);
    expect(text).toContain("6 not readable.");
  });

  it("names each where all are to be told", () => {
    const text = formatDiagnosis(diagnoseBodies(bodies), { maxAlike: Infinity, howToSeeAll: "--all" });
    expect(text).toContain("\n  alike   body 2, body 3, body 5\n");
    expect(text).not.toContain("--all");
  });
});
