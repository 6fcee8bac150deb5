import { describe, expect, test } from "vitest";
import { describeHost, type Host } from "./describe-host.ts";
import { InvalidHostError } from "./invalid-host-error.ts";
import { InvalidLimitError } from "./invalid-limit-error.ts";
import { defaultLimits, resolveLimits } from "./limits.ts";
import { readJson } from "./read-json.ts";

function problemOf(host: unknown): string {
  try {
    describeHost(host as Host);
  } catch (error) {
    expect(InvalidHostError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code: "invalid-host", name: "InvalidHostError" });
    return (error as Error).message;
  }
  return "none";
}

class Repo {
  pulls(): number {
    return 1;
  }
}

describe("a host", () => {
  test("lists its functions with their paths, whatever the names", () => {
    const host = JSON.parse('{ "__proto__": { "a b": 1 } }') as Record<string, Record<string, unknown>>;
    Object.assign(host["__proto__"] ?? {}, { constructor: () => 1 });
    const { shape, functions } = describeHost(host);
    expect(functions.map(({ path }) => path)).toEqual(["host.__proto__.constructor"]);
    expect(shape).toEqual({
      kind: "object",
      members: [
        [
          "__proto__",
          {
            kind: "object",
            members: [
              ["a b", { kind: "data", text: "1" }],
              ["constructor", { kind: "function", target: 0 }],
            ],
          },
        ],
      ],
    });
  });

  const circular: Record<string, unknown> = { a: {} };
  circular["a"] = { "not a name": circular };

  test.each<[string, unknown, string]>([
    ["an array", [], "host is not a plain object; make a host of plain objects"],
    ["null", null, "host is not a plain object; make a host of plain objects"],
    [
      "an instance",
      { repo: new Repo() },
      "host.repo is an instance of a class; wrap its methods in a plain object",
    ],
    ["itself", circular, 'host.a["not a name"] holds itself; make a host of plain objects'],
    [
      "large data",
      { text: "x".repeat(9_000_000) },
      "host.text is data of more than 8000000 characters; offer a function",
    ],
    [
      "a getter that throws",
      {
        get now() {
          throw new Error("no");
        },
      },
      "host.now cannot be read: its getter throws; offer a function",
    ],
  ])("%s is refused with its place and what to do", (_name, host, problem) => {
    expect(problemOf(host)).toContain(problem);
  });
});

describe("limits", () => {
  test("are the defaults unless they are set", () => {
    expect(resolveLimits()).toEqual(defaultLimits);
    expect(resolveLimits({ timeoutMs: 5 })).toEqual({ ...defaultLimits, timeoutMs: 5 });
  });

  test.each([
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { memoryBytes: 1000 },
    { stackBytes: 2 ** 20 },
    { pendingCalls: "5" as unknown as number },
  ])("%j is refused", (limits) => {
    try {
      resolveLimits(limits);
      expect.unreachable();
    } catch (error) {
      expect(InvalidLimitError.isInstance(error)).toBe(true);
      const [[name, given] = []] = Object.entries(limits);
      expect((error as Error).message).toMatch(`the limit ${name} is ${given}; give a number from `);
    }
  });
});

describe("JSON from a script", () => {
  test("is parsed like any other", () => {
    const text = JSON.stringify({ a: ['"]', "\\", { "[": 1 }] });
    expect(readJson(text)).toEqual(JSON.parse(text));
  });

  test("is refused when it is too deep or no JSON", () => {
    expect(() => readJson("[".repeat(501) + "]".repeat(501))).toThrow("500 levels");
    expect(readJson(JSON.stringify("[".repeat(600)))).toHaveLength(600);
    expect(() => readJson("{")).toThrow(SyntaxError);
  });
});
