import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCodemodeReply } from "./parse-codemode-reply.ts";
import { anyReply } from "./testing/any-reply.ts";

describe("opening tags", () => {
  test.each([
    [`<codemode status="n >= 2">`, "n >= 2"],
    [`<codemode status='say "yes"'>`, 'say "yes"'],
    [`<codemode data-a="1" status = "x" done>`, "x"],
    [`<codemode status="first" status="second">`, "first"],
    [`<codemode status="   ">`, undefined],
    [`<codemode data-status="other">`, undefined],
    [`\t<codemode  >  `, undefined],
  ])("%s opens", (opener, status) => {
    expect(parseCodemodeReply(`${opener}\nreturn 1\n</codemode>`)).toEqual({
      kind: "script",
      code: "return 1",
      wrap: true,
      ...(status === undefined ? {} : { status }),
    });
  });

  test.each([
    ["<codemode status=x>", "without quotes"],
    [`<codemode status="x>`, "without its closing quote"],
    ["<codemode", "without its >"],
    ["<codemode/>", "cannot be read"],
    [`<codemode a="1"b="2">`, "cannot be read"],
    ["<codemodes>", "cannot be read"],
    ["<codemode>return 1", "goes on after the opening tag"],
    ["<codemode></codemode> now", "goes on after the opening tag"],
  ])("%s is malformed and says so with its line", (opener, problem) => {
    const reply = parseCodemodeReply(`Hello.\n\n${opener}\nreturn 1\n</codemode>`);
    expect(reply).toMatchObject({ kind: "malformed" });
    expect("feedback" in reply && reply.feedback).toContain(`line 3 `);
    expect("feedback" in reply && reply.feedback).toContain(problem);
    expect("feedback" in reply && reply.feedback).toContain('<codemode status="What it does">');
  });
});

describe("code that holds a closing tag", () => {
  test("in a string on the tag's own line stays whole", () => {
    expect(parseCodemodeReply(`<codemode status="x">return "</codemode>".length</codemode>`)).toMatchObject({
      kind: "script",
      code: `return "</codemode>".length`,
    });
  });

  test("is never run as the part before it", () => {
    const reply = parseCodemodeReply(
      `<codemode status="y">del('a'); // </codemode> only if safe\nreturn 1</codemode>`,
    );
    expect(reply).toMatchObject({ kind: "malformed" });
    expect("feedback" in reply && reply.feedback).toContain("line 1");
  });

  test.each(["<codemode>\nreturn 1</codemode>", "<codemode>\nreturn 1\n</codemode> done"])(
    "%j is not closed",
    (text) => {
      const reply = parseCodemodeReply(text);
      expect(reply).toMatchObject({ kind: "malformed" });
      expect("feedback" in reply && reply.feedback).toContain("opens a block that no line closes");
    },
  );
});

describe("several tags", () => {
  test.each([
    "<codemode>return 1</codemode>\n<codemode>return 2</codemode>",
    "<codemode>return 1</codemode><codemode>return 2</codemode>",
    "<codemode>return 1</codemode>\n\n<codemode>\nreturn 2\n</codemode>",
    "<codemode>\n<codemode>\nreturn 1\n</codemode>\n</codemode>",
  ])("%j is refused as a whole", (text) => {
    expect(parseCodemodeReply(text)).toMatchObject({ kind: "multiple" });
  });

  test("the feedback names the lines, and of very many only the first", () => {
    const reply = parseCodemodeReply("<codemode>return 1</codemode>\n".repeat(1000));
    expect("feedback" in reply && reply.feedback).toContain("on lines 1, 2, 3, 4, 5 and 995 more");
  });

  test("a closer behind a whole tag is malformed", () => {
    expect(parseCodemodeReply("<codemode>return 1</codemode>\n</codemode>")).toMatchObject({
      kind: "malformed",
    });
  });
});

test.each(["length", "max_tokens", "MAX_TOKENS", "max_output_tokens"])("%s is never run", (finishReason) => {
  const reply = parseCodemodeReply("<codemode>\nreturn 1\n</codemode>", { finishReason });
  expect(reply).toMatchObject({ kind: "truncated" });
  expect("feedback" in reply && reply.feedback).toContain("shorter");
});

test.each(["stop", "end_turn", "STOP", "tool_use", "", "Length"])("%j is complete", (finishReason) => {
  expect(parseCodemodeReply("<codemode>\nreturn 1\n</codemode>", { finishReason })).toMatchObject({
    kind: "script",
  });
});

test.each([
  ["async function run(host) {}", false],
  ["async (host) => 1", false],
  ["async(host) => 1", false],
  ["async host => 1", false],
  ["(async (host) => 1)", false],
  ["(async () => 1)()", false],
  ["asyncTask()", true],
  ["const f = async () => 1", true],
  ["await host.a()", true],
])("%s has wrap %s", (code, wrap) => {
  expect(parseCodemodeReply(`<codemode>\n${code}\n</codemode>`)).toMatchObject({ kind: "script", wrap });
});

test("every text is one of the kinds, with what belongs to it", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(anyReply, (text) => {
      const reply = parseCodemodeReply(text);
      seen.set(reply.kind, (seen.get(reply.kind) ?? 0) + 1);
      if (reply.kind === "script") {
        expect(reply.code).toBe(reply.code.trim());
        expect(reply.code).not.toBe("");
        expect(text.replaceAll("\r\n", "\n")).toContain(reply.code);
      } else if (reply.kind === "none") {
        expect(reply.prose ?? "").toBe(text.replaceAll("\r\n", "\n").trim());
      } else {
        expect(reply.feedback.length).toBeLessThan(1000);
      }
    }),
    { numRuns: 5000 },
  );
  expect([...seen.keys()].sort()).toEqual(["malformed", "multiple", "none", "script"]);
});

test.each([
  ["<codemode".repeat(120_000), "malformed"],
  [`<codemode ${"a ".repeat(500_000)}`, "malformed"],
  [`<codemode ${'a="'.repeat(300_000)}`, "malformed"],
  [`<codemode${" ".repeat(1_000_000)}x`, "malformed"],
  [`<codemode>${"</codemode ".repeat(100_000)}`, "malformed"],
  [`<codemode>${"</codemode><codemode>".repeat(50_000)}</codemode>`, "multiple"],
  ["<codemode>\n".repeat(100_000), "multiple"],
  ["</codemode>\n".repeat(100_000), "malformed"],
  [`<codemode>\n${"</codemode>\n".repeat(100_000)}`, "script"],
  [`<codemode>\n${" ".repeat(1_000_000)}x`, "malformed"],
  ["\r".repeat(1_000_000), "none"],
])("a megabyte of hostile text is read to its end (%#)", (text, kind) => {
  expect(parseCodemodeReply(text).kind).toBe(kind);
});
