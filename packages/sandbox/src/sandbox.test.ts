import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
// Worker threads of Node 20 cannot load TypeScript, so what runs in them is tested as built.
// eslint-disable-next-line no-restricted-imports -- the package under test, by the name that leads to its build
import { createSandbox, type Host, runScript, type ScriptRun } from "@promptfold/sandbox";

const sandbox = createSandbox({ limits: { timeoutMs: 10_000 }, concurrency: 1 });
afterAll(() => sandbox.close());
const host: Host = {
  name: "garden",
  sizes: [1, { deep: true }],
  repo: {
    pulls: (state: unknown) => Promise.resolve([1, 2, state]),
    count: () => 5,
    fail: () => Promise.reject(Object.assign(new TypeError("no such branch"), { code: "E_BRANCH" })),
    never: () => new Promise(() => undefined),
  },
  echo: (...parameters: unknown[]) => parameters,
};

function run(code: string, options: { wrap?: boolean; timeoutMs?: number } = {}): Promise<ScriptRun> {
  const { wrap = true, timeoutMs } = options;
  return sandbox.run({ code, wrap, host, limits: timeoutMs === undefined ? {} : { timeoutMs } });
}

async function resultOf(code: string, wrap = true): Promise<unknown> {
  const { settlement } = await run(code, { wrap });
  expect(settlement).toMatchObject({ status: "succeeded" });
  return settlement.status === "succeeded" ? settlement.result : undefined;
}

async function errorOf(code: string, options: { wrap?: boolean; timeoutMs?: number } = {}): Promise<unknown> {
  const { settlement } = await run(code, options);
  expect(settlement).toMatchObject({ status: "failed", started: true });
  return settlement.status === "failed" ? settlement.error : undefined;
}

describe("forms of code", () => {
  test.each([
    ["a body", "const a = 1;\nreturn a + 1", true, 2],
    ["an async arrow", "async (host) => {\n  return host.name\n}", false, "garden"],
    ["an arrow with a semicolon", "async (host) => 3;\n", false, 3],
    ["a function declaration", "async function run(host) { return 3 }", false, 3],
    ["a parenthesised arrow", "(async () => 4)", false, 4],
    ["an arrow that is called at once", "(async () => { return 5 })();", false, 5],
    ["a declaration and a call", "async function run(host: object) { return 6 }\nrun(host);", false, 6],
    ["a declaration and a returned call", "async function run() { return 7 }\nreturn await run();", false, 7],
    ["a body that ends in a comment", "return 8 // eight", true, 8],
    ["a body that returns a function", "return () => 1", true, "[Function]"],
  ])("%s", async (_name, code, wrap, expected) => {
    expect(await resultOf(code, wrap)).toBe(expected);
  });

  test("ordinary TypeScript runs", async () => {
    const code =
      "enum E { A, B } interface P { x: number } const f = <T,>(v: T): T => v; " +
      "const p = { x: 1 } satisfies P; return f<number>(E.B) + p!.x";
    expect(await resultOf(code)).toBe(2);
  });

  test("a syntax error names line and column, quotes the line, and nothing runs", async () => {
    const { settlement } = await run("const a = 1;\n  const b = ;\nreturn a");
    expect(settlement).toEqual({
      status: "failed",
      error: "SyntaxError: Unexpected token (line 2, column 13)\n    at line 2: const b = ;",
      started: false,
    });
  });

  test.each(["import fs from 'fs';\nreturn fs", "export default async function () {}"])(
    "%s says that there are no modules",
    async (code) => {
      const { settlement } = await run(code);
      expect(settlement).toMatchObject({ status: "failed", started: false });
      expect(JSON.stringify(settlement)).toContain("neither import nor export");
    },
  );

  test("a namespace says that it is not supported", async () => {
    expect(await errorOf("namespace N { export const a = 1 }\nreturn N.a")).toContain(
      "namespaces are not supported",
    );
  });

  test("functions of which none is called are told", async () => {
    const code = "async function a() { return 1 }\nasync function b() { return 2 }";
    expect(await errorOf(code, { wrap: false })).toContain("gives no value");
  });
});

describe("results", () => {
  test.each<[string, unknown]>([
    ["new Map([[1, 2]])", { Map: [[1, 2]] }],
    ["new Set([1])", { Set: [1] }],
    ["10n", "10n"],
    ["new Date(NaN)", "Invalid Date"],
    ["new Date(0)", "1970-01-01T00:00:00.000Z"],
    ["(() => { const a = {}; a.a = a; return a })()", { a: "[Circular]" }],
    ["{ p: Promise.resolve(1) }", { p: "[Promise: await it before you hand it over]" }],
    ["null", null],
    ["-0", "-0"],
    ["NaN", "NaN"],
    ["() => 1", "[Function]"],
    ["Symbol('s')", "Symbol(s)"],
    ["new Error('boom')", { name: "Error", message: "boom" }],
    ["[undefined, null]", ["undefined", null]],
    ["{ ['__proto__']: 1, constructor: 2 }", JSON.parse('{"__proto__":1,"constructor":2}')],
    ["'\\u0000\\ud800'", "\u0000\ud800"],
    ["host.repo", { pulls: "[Function: host.repo.pulls]", count: "[Function: host.repo.count]" }],
  ])("return %s", async (expression, expected) => {
    const result = await resultOf(`return ${expression}`);
    if (expression === "host.repo") expect(result).toMatchObject(expected as object);
    else expect(result).toStrictEqual(expected);
  });

  test.each(["return undefined", "return", "const a = 1"])("%s gives no result", async (code) => {
    expect((await run(code)).settlement).toEqual({ status: "succeeded" });
  });

  test("a result beyond the limit is refused with the limit", async () => {
    const { settlement } = await sandbox.run({
      code: "return 'x'.repeat(2000)",
      wrap: true,
      limits: { resultCharacters: 1000 },
    });
    expect(settlement).toMatchObject({ status: "failed", started: true });
    expect(JSON.stringify(settlement)).toContain("longer than 1000 characters");
  });
});

describe("the host", () => {
  test("functions, data and nested objects are there, and every call is awaited", async () => {
    const code = "return [await host.repo.pulls('open'), await host.repo.count(), host.name, host.sizes]";
    expect(await resultOf(code)).toEqual([[1, 2, "open"], 5, "garden", [1, { deep: true }]]);
  });

  test("arguments cross as data, undefined included", async () => {
    expect(await resultOf("return await host.echo(undefined, 1n, new Map([['a', [null]]]))")).toEqual([
      "undefined",
      "1n",
      { Map: [["a", [null]]] },
    ]);
  });

  test("any JSON goes to a host function, comes back and is returned as it was", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 4 }), async (parameters) => {
        const text = JSON.stringify(parameters);
        const code = `return await host.echo(...JSON.parse(${JSON.stringify(text)}))`;
        expect(await resultOf(code)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1000 },
    );
  });

  test("a rejection can be caught, with its name, message and code", async () => {
    const code =
      "try { await host.repo.fail() } catch (e) { return [e instanceof Error, e.name, e.message, e.code] }";
    expect(await resultOf(code)).toEqual([true, "TypeError", "no such branch", "E_BRANCH"]);
  });

  test("an uncaught rejection names the line of the call and no place outside of the script", async () => {
    expect(await errorOf("const a = 1;\nawait host.repo.fail()")).toBe(
      "TypeError: no such branch\n    at line 2: await host.repo.fail()",
    );
  });

  test("a name that is not there is told with those that are", async () => {
    expect(await errorOf("await host.repo.pull()")).toContain(
      "host.repo has no pull; it has: pulls, count, fail, never",
    );
  });

  test("a huge argument is refused with the limit", async () => {
    expect(await errorOf("await host.echo('x'.repeat(2e6))")).toContain("longer than 1000000 characters");
  });

  test("too many calls at once are refused, many in turn are not", async () => {
    expect(
      await errorOf("await Promise.all(Array.from({ length: 101 }, () => host.repo.count()))"),
    ).toContain("more than 100 host calls at once");
    expect(
      await resultOf("let n = 0; for (let i = 0; i < 200; i++) n += await host.repo.count(); return n"),
    ).toBe(1000);
  });

  test("a reply beyond the limit is refused, what cannot be read comes readable", async () => {
    const strange: Host = {
      large: () => "x".repeat(2000),
      unreadable: () => ({
        get a() {
          throw new Error("no");
        },
      }),
      thrower: () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- hosts may do so
        throw null;
      },
    };
    const code =
      "const out = []; for (const name of ['large', 'unreadable', 'thrower']) " +
      "try { out.push(await host[name]()) } catch (e) { out.push(e.message) } return out";
    const { settlement } = await sandbox.run({
      code,
      wrap: true,
      host: strange,
      limits: { replyCharacters: 1000 },
    });
    expect(settlement).toEqual({
      status: "succeeded",
      result: [
        "host.large returned more than 1000 characters. Ask it for less.",
        "[cannot be read: no]",
        "null",
      ],
    });
  });

  test("methods keep the object they stand on", async () => {
    const counter = {
      start: 3,
      next(): number {
        return this.start + 1;
      },
    };
    const { settlement } = await sandbox.run({
      code: "return await host.counter.next()",
      wrap: true,
      host: { counter },
    });
    expect(settlement).toEqual({ status: "succeeded", result: 4 });
  });
});

describe("scripts that do not end", () => {
  test("one that awaits what nothing settles ends at once, and the next one runs", async () => {
    expect(await errorOf("await new Promise(() => {}); return 1")).toContain("did not finish");
    expect(await resultOf("return 2")).toBe(2);
  });

  test.each([
    ["a loop", "for (;;) {}"],
    ["a loop that catches", "for (;;) { try { for (;;) {} } catch {} }"],
    ["a loop of promises", "(async () => { for (;;) await 0 })(); await new Promise(() => {})"],
    ["a loop of timers", "const again = () => setTimeout(again, 0); again(); await new Promise(() => {})"],
    ["a long timer", "await new Promise((resolve) => setTimeout(resolve, 1e8))"],
    ["a slow regular expression", "return /^(p|pp)+$/.test('p'.repeat(70) + '!')"],
    ["a native call", "return JSON.stringify('\\u0001'.repeat(8e7)).length"],
    ["a native split", "return 'a,'.repeat(2e7).split(',').length"],
  ])("%s", async (_name, code) => {
    expect(await errorOf(code, { timeoutMs: 200 })).toBe(
      "The script did not finish within its limit of 200ms",
    );
    expect(await resultOf("return 2")).toBe(2);
  });

  test("a host call that never returns is named", async () => {
    expect(await errorOf("await host.repo.never()", { timeoutMs: 200 })).toContain(
      "waiting for host.repo.never",
    );
  });

  test("a huge power ends as an error", async () => {
    const { settlement } = await run("return String(3n ** 30_000_000n).length", { timeoutMs: 1000 });
    expect(settlement).toMatchObject({ status: "failed", started: true });
    expect(await resultOf("return 2")).toBe(2);
  });

  test.each([
    ["deep recursion", "const f = (n) => f(n + 1) + 1; return f(0)", "stack overflow"],
    ["deep JSON", "return JSON.parse('['.repeat(1e6))", "stack overflow"],
    ["memory", "const a = []; for (;;) a.push(new Uint8Array(1e7))", "out of memory"],
    ["small memory", "const a = []; for (;;) a.push({ a: 'b' + a.length })", "out of memory"],
    ["many timers", "for (let i = 0; i < 2000; i++) setTimeout(() => {}, 1)", "more than 1000 timers"],
  ])("%s ends as an error", async (_name, code, expected) => {
    expect(await errorOf(code)).toContain(expected);
    expect(await resultOf("return 2")).toBe(2);
  });

  test.each(["(", "{", "`${", "x=>", "a?b:", "[", "<", "/*", "a<", "async (", "!", "-"])(
    "code of %s alone is refused",
    async (piece) => {
      const { settlement } = await run(piece.repeat(50_000));
      expect(settlement).toMatchObject({ status: "failed", started: false });
    },
  );

  test("code that is too long is refused", async () => {
    const { settlement } = await run(";".repeat(1_000_001));
    expect(settlement).toMatchObject({ status: "failed", started: false });
  });
});

describe("errors that nobody awaits", () => {
  test.each([
    ["a rejection", "Promise.reject(new Error('late')); return 1"],
    ["a timer", "setTimeout(() => { throw new Error('later') }, 10); return 1"],
    ["a host call", "host.repo.fail(); return 1"],
  ])("%s", async (_name, code) => {
    expect(await resultOf(code)).toBe(1);
  });

  test("an error in a timer is logged", async () => {
    const { logs } = await run(
      "setTimeout(() => { throw new Error('x') }, 0); await new Promise((r) => setTimeout(r, 5)); return 1",
    );
    expect(logs).toEqual([{ level: "error", text: "Uncaught in setTimeout: Error: x" }]);
  });

  test.each([
    ["throw { code: 5 }", 'The script threw {"code":5}'],
    ["throw undefined", "The script threw undefined"],
    ["throw new Proxy({}, { get() { throw 1 } })", 'The script threw "[cannot be read: 1]"'],
    [
      "const e = new Error(); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e",
      "The script threw something that cannot be read",
    ],
    [
      "throw new Error('outer', { cause: new Error('inner') })",
      "Error: outer (cause: Error: inner)\n    at line 1: throw new Error('outer', { cause: new Error('inner') })",
    ],
  ])("%s", async (code, expected) => {
    expect(await errorOf(code)).toBe(expected);
  });
});

describe("console output", () => {
  test("is kept up to the limit and counted beyond it, anew for each script", async () => {
    const first = await run("for (let i = 0; i < 1e5; i++) console.log('x'.repeat(100)); return 1");
    expect(first.settlement).toEqual({ status: "succeeded", result: 1 });
    const kept = first.logs.length;
    expect(first.logs.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(20_200);
    expect(first.omittedLogLines).toBe(1e5 - kept);
    const second = await run("console.log('hello'); return 2");
    expect(second).toMatchObject({ logs: [{ level: "log", text: "hello" }], omittedLogLines: 0 });
  });

  test("levels and values are readable", async () => {
    const { logs } = await run("console.warn('a', { b: [1n] }, undefined, new Error('c')); console.error()");
    expect(logs).toEqual([
      { level: "warn", text: 'a {"b":["1n"]} undefined Error: c' },
      { level: "error", text: "" },
    ]);
  });

  test("a long line is cut and says how much is missing", async () => {
    const { logs, omittedLogLines } = await run("console.log('y'.repeat(25_000)); console.log('z')");
    expect(logs).toEqual([{ level: "log", text: `${"y".repeat(20_000)}… [5000 more characters]` }]);
    expect(omittedLogLines).toBe(1);
  });

  test("of a script that is stopped from outside is kept", async () => {
    const { logs } = await run("console.log('here'); return 'a,'.repeat(2e7).split(',').length", {
      timeoutMs: 200,
    });
    expect(logs).toEqual([{ level: "log", text: "here" }]);
  });
});

describe("the life of a sandbox", () => {
  test("an aborted script ends, before and after its start, and the next one runs", async () => {
    expect(
      (await sandbox.run({ code: "return 1", wrap: true, signal: AbortSignal.abort() })).settlement,
    ).toMatchObject({
      status: "failed",
      started: false,
    });
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
    };
    const { settlement } = await sandbox.run({
      code: "await host.abort(); for (;;) {}",
      wrap: true,
      host: { abort },
      signal: controller.signal,
    });
    expect(settlement).toEqual({ status: "failed", error: "The script was cancelled", started: true });
    expect(await resultOf("return 2")).toBe(2);
  });

  test("an aborted script that still waits for its turn never starts", async () => {
    const controller = new AbortController();
    const first = run("await new Promise((resolve) => setTimeout(resolve, 50)); return 1");
    const second = sandbox.run({ code: "return 2", wrap: true, signal: controller.signal });
    controller.abort();
    expect((await second).settlement).toMatchObject({ status: "failed", started: false });
    expect((await first).settlement).toMatchObject({ status: "succeeded" });
  });

  test("more scripts than threads all run, each with its own result", async () => {
    const many = createSandbox({ concurrency: 2 });
    const runs = Array.from({ length: 20 }, (_, at) =>
      many.run({ code: "return await host.at()", wrap: true, host: { at: () => at } }),
    );
    const results = (await Promise.all(runs)).map(({ settlement }) => settlement);
    expect(results).toEqual(Array.from({ length: 20 }, (_, at) => ({ status: "succeeded", result: at })));
    await many.close();
  });

  test("closing ends what runs and what waits, and later scripts do not start", async () => {
    const closing = createSandbox({ concurrency: 1 });
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const running = closing.run({
      code: "await host.begun(); for (;;) {}",
      wrap: true,
      host: {
        begun: () => {
          begun();
        },
      },
    });
    const waiting = closing.run({ code: "return 1", wrap: true });
    await started;
    await closing.close();
    expect((await running).settlement).toMatchObject({ status: "failed", started: true });
    expect((await waiting).settlement).toMatchObject({ status: "failed", started: false });
    expect((await closing.run({ code: "return 1", wrap: true })).settlement).toMatchObject({
      started: false,
    });
  });

  test("runScript needs no sandbox", async () => {
    expect(await runScript({ code: "return 1", wrap: true })).toEqual({
      settlement: { status: "succeeded", result: 1 },
      logs: [],
      omittedLogLines: 0,
    });
  });
});
