import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
// Worker threads of Node 20 cannot load TypeScript, so what runs in them is tested as built.
// eslint-disable-next-line no-restricted-imports -- the package under test, by the name that leads to its build
import { createSandbox } from "@promptfold/sandbox";

const sandbox = createSandbox({ concurrency: 1 });
afterAll(() => sandbox.close());

const host = { read: () => "text", nested: { ok: () => true }, data: [1, 2] };

async function settle(code: string): Promise<unknown> {
  return (await sandbox.run({ code, wrap: true, host })).settlement;
}

describe("nothing of the process is in reach", () => {
  test.each([
    "process",
    "require",
    "module",
    "fetch",
    "Buffer",
    "XMLHttpRequest",
    "WebSocket",
    "WebAssembly",
    "std",
    "os",
    "print",
    "scriptArgs",
    "Worker",
    "importScripts",
    "postMessage",
    "navigator",
    "performance",
    "__filename",
  ])("%s is not defined", async (name) => {
    expect(await settle(`return typeof ${name}`)).toEqual({ status: "succeeded", result: "undefined" });
  });

  test.each(["fs", "node:fs", "./worker.js", "data:text/javascript,1", "https://example.com/a.js"])(
    "import(%s) is refused",
    async (name) => {
      expect(await settle(`return await import(${JSON.stringify(name)})`)).toMatchObject({
        status: "failed",
      });
    },
  );

  test.each([
    ["of a function", "(function () {}).constructor"],
    ["of a host function", "host.read.constructor"],
    ["of a promise from the host", "host.read().constructor.constructor"],
    ["of data from the host", "host.data.constructor.constructor"],
    ["of an error from the host", "(await host.missing?.()) ?? (() => {}).constructor"],
    ["of an async function", "(async () => {}).constructor"],
    ["of a console method", "console.log.constructor"],
    ["of a timer", "setTimeout.constructor"],
  ])("the constructor %s leads no further", async (_name, constructor) => {
    const code = `return await ${constructor}("return typeof process + typeof require + typeof globalThis.fetch")()`;
    expect(await settle(code)).toEqual({ status: "succeeded", result: "undefinedundefinedundefined" });
  });

  test.each(["constructor", "__proto__", "prototype", "hasOwnProperty", "toString", "valueOf", "apply"])(
    "host.%s is nothing",
    async (name) => {
      expect(
        await settle(`return [typeof host.${name}, typeof host.nested[${JSON.stringify(name)}]]`),
      ).toEqual({
        status: "succeeded",
        result: ["undefined", "undefined"],
      });
    },
  );

  test("the host cannot be changed", async () => {
    expect(await settle("host.read = () => 1; return 1")).toMatchObject({ status: "failed" });
    expect(await settle("host.nested.more = 1; return 1")).toMatchObject({ status: "failed" });
    expect(await settle("return Object.setPrototypeOf(host, {})")).toMatchObject({ status: "failed" });
  });

  test("the global names are those of the language and the few that are documented", async () => {
    const settlement = await settle(
      "return Object.getOwnPropertyNames(globalThis).filter((name) => /^[a-z]/.test(name)).sort()",
    );
    expect(settlement).toEqual({
      status: "succeeded",
      result: [
        "clearTimeout",
        "console",
        "decodeURI",
        "decodeURIComponent",
        "encodeURI",
        "encodeURIComponent",
        "escape",
        "eval",
        "globalThis",
        "host",
        "isFinite",
        "isNaN",
        "parseFloat",
        "parseInt",
        "setTimeout",
        "undefined",
        "unescape",
      ],
    });
  });

  test("the sandbox's own files, loaded again, give nothing to call", async () => {
    const shape = '{"kind":"object","members":[["read",{"kind":"function","target":0}]]}';
    const code = `
      const loaded = await import("guest/start-guest.js");
      loaded.startGuest({}, ${JSON.stringify(shape)}, '{"pendingCalls":1,"argumentCharacters":10}');
      try { await globalThis.host.read() } catch (error) { return [Object.keys(loaded), error.name] }`;
    expect(await settle(code)).toEqual({ status: "succeeded", result: [["startGuest"], "TypeError"] });
  });

  test("code that closes its function early is still inside", async () => {
    expect(await settle("}); globalThis.seen = typeof process; (async function () { return seen")).toEqual({
      status: "succeeded",
      result: "undefined",
    });
  });
});

describe("nothing stays for the next script", () => {
  test("globals, prototypes and built-ins are new each time", async () => {
    await settle(
      "globalThis.left = 'secret'; Object.prototype.polluted = 1; Array.prototype.map = () => 'mine'; " +
        "JSON.parse = () => 'mine'; Promise.prototype.then = () => 'mine'; host.data.push(3); return 1",
    );
    const code =
      "return [typeof left, ({}).polluted === undefined, [1].map((x) => x), JSON.parse('1'), host.data.length]";
    expect(await settle(code)).toEqual({ status: "succeeded", result: ["undefined", true, [1], 1, 2] });
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test("timers and calls of one script do not reach another", async () => {
    let calls = 0;
    const counting = { count: () => (calls += 1) };
    await sandbox.run({
      code: "setTimeout(() => host.count(), 5); host.count(); return 1",
      wrap: true,
      host: counting,
    });
    expect(await settle("await new Promise((r) => setTimeout(r, 30)); return 2")).toMatchObject({
      result: 2,
    });
    expect(calls).toBe(1);
  });

  test("fresh memory holds nothing of an earlier script", async () => {
    await settle(
      "const kept = []; for (let i = 0; i < 100; i++) kept.push('needle-' + 'q'.repeat(5000)); return 1",
    );
    const code =
      "let found = 0; for (let i = 0; i < 100; i++) found += new Uint8Array(5000).reduce((sum, byte) => sum + byte, 0);" +
      " return found";
    expect(await settle(code)).toEqual({ status: "succeeded", result: 0 });
  });

  test("a script that replaces what is built in harms only itself", async () => {
    const replaced =
      "for (const type of [Array, Map, Set, String, Promise, Object]) for (const name of " +
      "Object.getOwnPropertyNames(type.prototype)) try { type.prototype[name] = () => { throw 1 } } catch {} return { a: [1] }";
    expect(await settle(replaced)).toHaveProperty("status");
    expect(await settle("JSON.stringify = () => '['; String = () => '{'; return { a: [1, 'b'] }")).toEqual({
      status: "succeeded",
      result: { a: [1, "b"] },
    });
    const nested =
      "Object.defineProperty(Array.prototype, 'join', { value: () => '['.repeat(1e5) + ']'.repeat(1e5) }); return [1]";
    expect(await settle(nested)).toMatchObject({ status: "failed" });
    expect(await settle("return 3")).toEqual({ status: "succeeded", result: 3 });
  });
});

describe("the process that holds the sandbox", () => {
  const run = promisify(execFile);
  const entry = new URL("../dist/index.js", import.meta.url).href;

  async function runProcess(body: string): Promise<string> {
    const code = `
      import { createSandbox } from ${JSON.stringify(entry)};
      for (const name of ["unhandledRejection", "uncaughtException", "warning"]) {
        process.on(name, (error) => console.log(name, error));
      }
      const sandbox = createSandbox({ limits: { timeoutMs: 300 } });
      ${body}
    `;
    const { stdout, stderr } = await run(process.execPath, ["--input-type=module", "-e", code], {
      timeout: 30_000,
    });
    return stdout + stderr;
  }

  test("hears of no error that nobody awaited", async () => {
    const output = await runProcess(`
      const host = { fail: () => Promise.reject(new Error("no")), late: () => new Promise((_, no) => setTimeout(no, 600)) };
      for (const code of [
        "Promise.reject(new Error('late')); return 1",
        "setTimeout(() => { throw new Error('later') }, 10); return 1",
        "host.fail(); return 1",
        "host.late(); return 1",
        "await host.late()",
        "for (;;) {}",
        "return 'a,'.repeat(2e7).split(',').length",
      ]) console.log((await sandbox.run({ code, wrap: true, host })).settlement.status);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await sandbox.close();
    `);
    expect(output.trim().split("\n")).toEqual([
      "succeeded",
      "succeeded",
      "succeeded",
      "succeeded",
      "failed",
      "failed",
      "failed",
    ]);
  });

  test("can end although the sandbox is not closed", async () => {
    const output = await runProcess(`
      console.log((await sandbox.run({ code: "return 1", wrap: true })).settlement.result);
    `);
    expect(output).toBe("1\n");
  });
});
