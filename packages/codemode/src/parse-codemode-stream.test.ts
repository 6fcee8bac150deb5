import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseCodemodeReply } from "./parse-codemode-reply.ts";
import { parseCodemodeStream, type StreamedReply } from "./parse-codemode-stream.ts";
import { anyReply } from "./testing/any-reply.ts";

describe("a reply that arrives in parts", () => {
  const text = 'pre < 3\n<codemode status="n >= 2">return 1</codemode>\npost';

  test.each(Array.from({ length: text.length + 1 }, (_, cut) => cut))("cut at %i shows no tag", (cut) => {
    const { prose, script } = parseCodemodeStream(text.slice(0, cut));
    expect("pre < 3\n\npost".startsWith(prose)).toBe(true);
    expect([undefined, { code: "return 1", closed: true, status: "n >= 2" }]).toContainEqual(script);
  });

  test("and is whole at its end", () => {
    expect(parseCodemodeStream(text)).toEqual({
      prose: "pre < 3\n\npost",
      script: { code: "return 1", closed: true, status: "n >= 2" },
    });
  });

  test("its last line counts once the reply is complete", () => {
    const closed = "<codemode>\nreturn 1\n</codemode>";
    expect(parseCodemodeStream(closed).script).toEqual({ code: "return 1", closed: false });
    expect(parseCodemodeStream(closed, { complete: true }).script).toEqual({
      code: "return 1",
      closed: true,
    });
    expect(parseCodemodeStream("Look:\n<", { complete: true }).prose).toBe("Look:\n<");
  });

  test("nothing is shown beyond a line that keeps the reply from running", () => {
    expect(parseCodemodeStream("a\n<codemode>return 1\nmore\n")).toEqual({ prose: "a" });
    expect(parseCodemodeStream("a\n</codemode>\nmore\n")).toEqual({ prose: "a" });
    expect(parseCodemodeStream("a\n<codemode>return 1</codemode>\nb\n<codemode>\nreturn 2\n")).toEqual({
      prose: "a\n\nb",
      script: { code: "return 1", closed: true },
    });
  });
});

test("what was shown is never taken back, wherever the text is cut", () => {
  fc.assert(
    fc.property(anyReply, (text) => {
      let earlier = parseCodemodeStream("");
      for (let cut = 1; cut <= text.length; cut += 1) {
        const later = parseCodemodeStream(text.slice(0, cut));
        if (!continues(earlier, later)) expect({ cut, later }).toBe(earlier);
        earlier = later;
      }
      expect(continues(earlier, parseCodemodeStream(text, { complete: true }))).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

function continues(earlier: StreamedReply, later: StreamedReply): boolean {
  if (!later.prose.startsWith(earlier.prose)) return false;
  if (!earlier.script) return true;
  if (!later.script?.code.startsWith(earlier.script.code)) return false;
  if (later.script.status !== earlier.script.status) return false;
  return !earlier.script.closed || (later.script.closed && later.script.code === earlier.script.code);
}

test("a line that turns out to be a tag was never shown in part", () => {
  fc.assert(
    fc.property(fc.constantFrom("", "a", "a\n", "<codemode>\nb\n"), fc.nat(), (before, at) => {
      const tag = before.startsWith("<") ? "  </codemode >  " : `\t<codemode status='x>"' b>  `;
      const part = tag.slice(0, at % tag.length);
      const start = before === "a" ? "a\n" : before;
      expect(parseCodemodeStream(start + part)).toEqual(parseCodemodeStream(start));
    }),
    { numRuns: 1000 },
  );
});

test("a complete reply shows what the settled reply holds", () => {
  let scripts = 0;
  fc.assert(
    fc.property(anyReply, (text) => {
      const reply = parseCodemodeReply(text);
      const { prose, script } = parseCodemodeStream(text, { complete: true });
      if (reply.kind === "none") {
        expect({ prose, script }).toEqual({ prose: reply.prose ?? "", script: undefined });
      } else if (reply.kind === "script") {
        scripts += 1;
        expect(script?.status).toBe(reply.status);
        // The live view ends at the first closing line, the settled reply at the last.
        expect(reply.code.startsWith(script?.code ?? "?")).toBe(true);
        if (!/^\s*<\/codemode\s*>\s*$/m.test(reply.code)) {
          expect({ prose, code: script?.code, closed: script?.closed }).toEqual({
            prose: reply.prose ?? "",
            code: reply.code,
            closed: true,
          });
        }
      }
    }),
    { numRuns: 5000 },
  );
  expect(scripts).toBeGreaterThan(50);
});
