// A process of its own for the fault tests: child.mjs COMMAND URL ARGUMENTS…
// It answers on stdout, one JSON value a line, written before anything else happens.
import { rmSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { openJournal } from "@promptfold/journal";

const [command, url, ...given] = process.argv.slice(2);
const say = (value) => writeSync(1, `${JSON.stringify(value)}\n`);

/** Batch `number` of a stream: recognisable events, each with a key. */
const batch = (number, size) =>
  Array.from({ length: size }, (_, index) => ({
    type: "test/fault",
    payload: { batch: number, index, size, text: "x".repeat((number % 7) * 300) },
    idempotencyKey: `${number}:${index}`,
  }));

const commands = {
  /** Appends batch after batch and reports each once it is acknowledged, until it is killed. */
  async acknowledge(handle, [stream, first, size]) {
    for (let number = Number(first); ; number += 1) {
      const committed = await handle.append(
        stream,
        batch(number, size === undefined ? 1 + (number % 5) : Number(size)),
      );
      say([number, committed[0].offset, committed.at(-1).offset]);
    }
  },

  /** Appends `count` events; with "read" it reads the head first and expects it, and tries again when it lost. */
  async append(handle, [stream, count, mode]) {
    for (let n = 0; n < Number(count);) {
      const options = mode === "read" ? { expectedOffset: await handle.head(stream) } : {};
      try {
        await handle.append(stream, [{ type: "test/fault", payload: { pid: process.pid, n } }], options);
        n += 1;
      } catch (error) {
        if (error.code !== "offset-conflict") throw error;
      }
    }
    say("done");
  },

  /** For each line on stdin appends that key several times at once and reports the offsets it was given. */
  async keys(handle, [stream, times]) {
    say("ready");
    for await (const key of createInterface({ input: process.stdin })) {
      const event = { type: "test/fault", payload: { key }, idempotencyKey: key };
      const results = await Promise.all(
        Array.from({ length: Number(times) }, () => handle.append(stream, [event])),
      );
      say(results.map(([committed]) => committed.offset));
    }
  },

  /** Appends large events until that fails, frees the space that a file takes, and appends once more. */
  async fill(handle, [stream, ballast]) {
    let acknowledged = 0;
    try {
      for (;;) {
        const payload = { n: acknowledged, text: "x".repeat(20_000) };
        await handle.append(stream, [
          { type: "test/fault", payload, idempotencyKey: `fill-${acknowledged}` },
        ]);
        acknowledged += 1;
      }
    } catch (error) {
      say({ acknowledged, code: error.code, head: await handle.head(stream) });
    }
    if (ballast !== undefined) rmSync(ballast);
    const text = "x".repeat(ballast === undefined ? 1 : 20_000);
    const [after] = await handle.append(stream, [{ type: "test/fault", payload: { text } }]);
    say({ after: after.offset });
  },
};

try {
  const journal = await openJournal(url);
  await commands[command](journal.as({ processor: `child-${process.pid}`, trust: "inside" }), given);
  await journal.close();
} catch (error) {
  say({ code: error.code, message: error.message });
  process.exitCode = 1;
}
