import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderSettlement, resultText } from "./render-settlement.ts";

function contentOf(...parameters: Parameters<typeof renderSettlement>): string {
  const rendered = renderSettlement(...parameters);
  return rendered.kind === "message" ? rendered.content : "";
}

describe("a returned value", () => {
  test.each<[string, unknown, string]>([
    ["an object", { open: 2 }, 'Your script returned (in 1.8s):\n```json\n{\n  "open": 2\n}\n```'],
    ["a string", "two\nlines", "Your script returned (in 1.8s):\n```\ntwo\nlines\n```"],
    ["an empty string", "", "Your script returned (in 1.8s):\n```\n\n```"],
    ["a number", 3, "Your script returned (in 1.8s):\n```json\n3\n```"],
    ["null", null, "Your script returned (in 1.8s):\n```json\nnull\n```"],
    ["false", false, "Your script returned (in 1.8s):\n```json\nfalse\n```"],
    ["fences", "```\n````", "Your script returned (in 1.8s):\n`````\n```\n````\n`````"],
  ])("%s", (_name, result, content) => {
    expect(renderSettlement({ status: "succeeded", result }, { durationMs: 1840 })).toEqual({
      kind: "message",
      content,
      cut: false,
    });
  });

  test("nothing returned is no message", () => {
    expect(renderSettlement({ status: "succeeded" }, { durationMs: 1 })).toEqual({ kind: "none" });
    expect(renderSettlement({ status: "succeeded", result: undefined })).toEqual({ kind: "none" });
  });

  test("values that no event can hold are readable too", () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    expect(resultText({ a: 10n })).toEqual({ kind: "json", text: '{\n  "a": "10n"\n}' });
    expect(resultText(circular)).toEqual({ kind: "string", text: "[a object that cannot be shown]" });
    expect(resultText(() => 1)).toEqual({ kind: "string", text: "[a function that cannot be shown]" });
  });
});

describe("a result that is too long", () => {
  test("shows a preview, its size, and where the rest is", () => {
    const rendered = renderSettlement(
      { status: "succeeded", result: "abcdef" },
      { durationMs: 5, limit: 4, wholeAt: "stored at /agents/web/demo@17" },
    );
    expect(rendered).toEqual({
      kind: "message",
      content:
        "Your script returned (in 5ms):\n```\nabcd\n```\n" +
        "Cut: these are the first 4 of 6 characters. The whole text is stored at /agents/web/demo@17. " +
        "Ask for the part that you need.",
      cut: true,
    });
  });

  test("is shown whole at the limit itself", () => {
    expect(renderSettlement({ status: "succeeded", result: "abcd" }, { limit: 4 })).toMatchObject({
      cut: false,
    });
  });

  test("is cut between code points, never inside of one", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 40 }),
        fc.integer({ min: 0, max: 60 }),
        (result, limit) => {
          const content = contentOf({ status: "succeeded", result }, { limit });
          const [, fence = "", shown = ""] = /^.*\n(`{3,})\n([^]*)\n\1(?:\nCut: .*)?$/.exec(content) ?? [];
          expect(fence).not.toBe("");
          expect(result.startsWith(shown)).toBe(true);
          expect(() => encodeURIComponent(shown)).not.toThrow();
          expect(shown.length).toBeLessThanOrEqual(Math.max(limit, 0));
          expect(shown.length).toBeGreaterThanOrEqual(Math.min(result.length, limit - 1));
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("an error is cut as well", () => {
    const content = contentOf({ status: "failed", error: "x".repeat(100), started: true }, { limit: 10 });
    expect(content).toContain("\nxxxxxxxxxx\n");
    expect(content).toContain("first 10 of 100 characters");
  });
});

describe("a script that did not return", () => {
  test.each([
    [
      "one that had started",
      { status: "failed", error: "TypeError: no", started: true } as const,
      "Your script failed (after 2m 5s):\n```\nTypeError: no\n```\n" +
        "It had started: what it did before the error is done. Look before you repeat it.",
    ],
    [
      "one that had not",
      { status: "failed", error: "SyntaxError: no", started: false } as const,
      "Your script did not run:\n```\nSyntaxError: no\n```\nNothing of it ran. Correct it and send it again.",
    ],
    [
      "one of which that is not said",
      { status: "failed", error: "no" } as const,
      "Your script failed (after 2m 5s):\n```\nno\n```\nPart of it may have run. Look what it did before you repeat it.",
    ],
    [
      "one of which nothing is known",
      { status: "unknown", error: "The worker ended" } as const,
      "It is not known how your script ended:\n```\nThe worker ended\n```\n" +
        "It may have run, wholly or in part. Look what it did before you run it again.",
    ],
  ])("%s", (_name, settlement, content) => {
    expect(contentOf(settlement, { durationMs: 125_000 })).toBe(content);
  });
});

test.each([undefined, Number.NaN, Number.POSITIVE_INFINITY])(
  "a duration of %s is not mentioned",
  (durationMs) => {
    expect(contentOf({ status: "succeeded", result: 1 }, { durationMs })).toContain(
      "Your script returned:\n",
    );
  },
);

test("a clock that went back reads as no time, and each rendering is the same", () => {
  const settlement = { status: "succeeded", result: { a: [1] } } as const;
  const first = contentOf(settlement, { durationMs: -5000 });
  expect(first).toContain("(in 0ms)");
  expect(contentOf(JSON.parse(JSON.stringify(settlement)) as typeof settlement, { durationMs: -5000 })).toBe(
    first,
  );
});

describe("console output", () => {
  const console = { lines: ["first", "second ```"], omittedLines: 0 };

  test("follows what was returned, in a fence that holds it", () => {
    const rendered = renderSettlement({ status: "succeeded", result: 1 }, { console });
    expect(rendered).toMatchObject({
      content:
        "Your script returned:\n```json\n1\n```\nIt wrote to its console:\n````\nfirst\nsecond ```\n````",
    });
  });

  test("follows an error and its advice", () => {
    const failed = { status: "failed", error: "boom", started: true } as const;
    const rendered = renderSettlement(failed, { console: { lines: ["a"], omittedLines: 7 } });
    expect(rendered).toMatchObject({
      content: expect.stringMatching(
        /boom[\s\S]*before you repeat it\.\nIt wrote to its console:\n```\na\n```\nAt least 7 more lines were not kept\.$/,
      ) as string,
    });
  });

  test("is cut, and says so", () => {
    const rendered = renderSettlement(
      { status: "succeeded", result: null },
      { console: { lines: ["x".repeat(5_000)], omittedLines: 0 } },
    );
    expect(rendered).toMatchObject({
      content: expect.stringContaining("These are the first 4000 of 5000 characters.") as string,
    });
  });

  test("is no reason for a message when nothing was returned, and no console is not mentioned", () => {
    expect(renderSettlement({ status: "succeeded" }, { console })).toEqual({ kind: "none" });
    const silent = renderSettlement(
      { status: "succeeded", result: 1 },
      { console: { lines: [], omittedLines: 0 } },
    );
    expect(silent).toMatchObject({ content: "Your script returned:\n```json\n1\n```" });
  });
});
