import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidVariableError } from "./errors.ts";
import { listVariables, substitute, type Values } from "./substitute.ts";

interface Vector {
  template: string;
  vars: Record<string, string>;
  expect: string;
}

const vectors = JSON.parse(
  readFileSync(new URL("../vectors/templating-python.json", import.meta.url), "utf8"),
) as Vector[];

describe("substitute, as Python's string.Template.safe_substitute", () => {
  it.each(vectors.map((vector, index) => ({ index, ...vector })))(
    "recorded case $index: $template",
    ({ template, vars, expect: expected }) => {
      expect(substitute(template, vars)).toBe(expected);
      expect(substitute(template, new Map(Object.entries(vars)))).toBe(expected);
    },
  );

  const python = findPython();
  it.skipIf(python === undefined)("does what this machine's Python does on 2,000 fresh templates", () => {
    const seed = Math.trunc(Math.random() * 2 ** 31);
    console.log(`differential test against ${python ?? "no Python"}: seed ${seed}`);
    const cases = fc.sample(fc.record({ template, vars }), { seed, numRuns: 2000 });
    const script =
      "import json,string,sys;" +
      "print(json.dumps([string.Template(c['template']).safe_substitute(c['vars']) for c in json.load(sys.stdin)]))";
    const output = execFileSync(python ?? "", ["-c", script], {
      input: JSON.stringify(cases),
      encoding: "utf8",
      maxBuffer: 1e8,
    });
    expect(cases.map((one) => substitute(one.template, one.vars))).toEqual(JSON.parse(output));
  });
});

const piece = fc.constantFrom(
  "$",
  "$$",
  "${",
  "}",
  "{",
  "a",
  "B",
  "_",
  "1",
  "é",
  "ı",
  "K",
  "-",
  " ",
  "\n",
  "$a",
  "${B}",
);
const template = fc
  .array(fc.oneof(piece, fc.string({ unit: "grapheme", maxLength: 3 })), { maxLength: 24 })
  .map((list) => list.join(""));
const vars = fc.dictionary(
  fc.constantFrom("a", "B", "_", "aB", "a1", "_a", "Ba", "aa", "__proto__", "constructor"),
  fc.oneof(
    fc.constantFrom("$a", "$$", "${B}", "$&", "$'", ""),
    fc.string({ unit: "grapheme", maxLength: 4 }),
  ),
  { noNullPrototype: true },
);

function findPython(): string | undefined {
  for (const command of ["python3", "python"]) {
    try {
      const version = execFileSync(command, ["--version"], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
      if (version.startsWith("Python 3.")) return command;
    } catch {
      // Not here; the recorded cases stand for it.
    }
  }
  return undefined;
}

describe("values", () => {
  it("go in byte for byte, dollars and all", () => {
    const a = "$& $$ $1 $' $`";
    expect(substitute("A=[$a] B=[${a}]", { a })).toBe(`A=[${a}] B=[${a}]`);
  });

  it("are never scanned again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (value, other) => {
        expect(substitute("[$v|${w}|$v]", { v: value, w: other })).toBe(`[${value}|${other}|${value}]`);
      }),
      { numRuns: 1000 },
    );
  });

  it("that an object inherits are not variables either, whatever was put in before", () => {
    const template = "$a $b";
    // The third time the template is one that was filled from an object with just these keys.
    for (let time = 0; time < 3; time += 1) expect(substitute(template, { a: "1", b: "2" })).toBe("1 2");
    const inheriting = Object.assign(Object.create({ b: "2" }) as Record<string, string>, { a: "1" });
    expect(substitute(template, inheriting)).toBe("1 $b");
    expect(substitute(template, Object.create({ a: "1", b: "2" }) as Record<string, string>)).toBe("$a $b");
    const hidden = Object.defineProperty({ a: "1" }, "b", { value: "2", enumerable: false });
    expect(substitute(template, hidden)).toBe(substitute("$a $b!", hidden).slice(0, -1));
  });

  it("of members every object inherits are not variables, own ones are", () => {
    const template = "$constructor ${toString} $__proto__ $hasOwnProperty";
    expect(substitute(template, {})).toBe(template);
    const own = JSON.parse(
      '{"__proto__":"p","constructor":"c","toString":"t","hasOwnProperty":"h"}',
    ) as Values;
    expect(substitute(template, own)).toBe("c t p h");
    expect(({} as Record<string, unknown>)["p"]).toBeUndefined();
  });

  it("may be text, numbers and booleans; others are errors that name them, undefined is not given", () => {
    expect(substitute("$a $b $c $d", { a: 1.5, b: true, c: "x", d: undefined })).toBe("1.5 true x $d");
    const cases: readonly (readonly [value: unknown, words: string])[] = [
      [null, "empty"],
      [{ k: 1 }, "an object"],
      [[1, 2], "a list"],
      [Number.NaN, "NaN"],
      [Number.POSITIVE_INFINITY, "Infinity"],
      [1n, "1n"],
      [Symbol("s"), "a symbol"],
      [() => 1, "a function"],
    ];
    for (const [value, words] of cases) {
      const values = { a: value } as unknown as Values;
      expect(() => substitute("[$a]", values)).toThrow(InvalidVariableError);
      expect(() => substitute("[$a]", values)).toThrow(
        `$a is ${words}; give it text, a finite number or a boolean`,
      );
      expect(substitute("[$b]", values)).toBe("[$b]");
    }
  });
});

describe("listVariables", () => {
  it("gives names in the order of first use, braced ones too", () => {
    expect(listVariables("$a ${b} $$c ${b}")).toEqual(["a", "b"]);
    expect(listVariables("$constructor $__proto__ $1 ${} $")).toEqual(["constructor", "__proto__"]);
  });

  it("gives exactly the names whose values can appear", () => {
    fc.assert(
      fc.property(template, (text) => {
        const marked = new Map(listVariables(text).map((name) => [name, "\u0000"]));
        expect(listVariables(substitute(text, marked).replaceAll("$", ""))).toEqual([]);
        expect(substitute(text, marked).includes("\u0000")).toBe(marked.size > 0 || text.includes("\u0000"));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("hostile templates of a megabyte", () => {
  it.each(["$", "$$", "${", "${a", "$a", "$1", "${a}"])("of %j are read to their end", (unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    expect(substitute(text, { a: "x" }).length).toBeGreaterThan(0);
  });
});
