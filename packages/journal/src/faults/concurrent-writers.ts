import assert from "node:assert/strict";
import type { Journal } from "../journal.ts";
import { readAll } from "../testing/subject.ts";
import { outputOf, runChild } from "./run-child.ts";

/** Two processes append to one stream, one of them reading before it writes: every event lands and no error surfaces. */
export async function twoProcesses(url: string, journal: Journal): Promise<void> {
  const children = ["read", "read", "blind"].map((mode) => runChild(["append", url, "/shared", "200", mode]));
  await Promise.all(children.map(outputOf));
  const events = await readAll(journal, "/shared");
  assert.deepEqual(
    events.map(({ offset }) => offset),
    Array.from({ length: 600 }, (_, index) => index + 1),
  );
  const next = new Map<number, number>();
  for (const { payload } of events) {
    const { pid, n } = payload as { pid: number; n: number };
    assert.equal(n, next.get(pid) ?? 0);
    next.set(pid, n + 1);
  }
  assert.deepEqual([...next.values()], [200, 200, 200]);
}

/** Ten concurrent appends of one key from three processes, many times: one event, and everybody gets its offset. */
export async function oneKeyManyCallers(url: string, journal: Journal, rounds: number): Promise<void> {
  const children = ["4", "3", "3"].map((times) => runChild(["keys", url, "/keys", times]));
  for (const child of children)
    assert.equal((await child.lines.next()).value, '"ready"', await errorOf(child));
  for (let round = 1; round <= rounds; round += 1) {
    for (const child of children) child.process.stdin.write(`key-${String(round)}\n`);
    const answers = await Promise.all(children.map((child) => child.lines.next()));
    const offsets = answers.flatMap(({ value }) => JSON.parse(value as string) as number[]);
    assert.deepEqual(
      offsets,
      Array.from({ length: 10 }, () => round),
    );
  }
  await Promise.all(children.map(outputOf));
  assert.equal((await readAll(journal, "/keys")).length, rounds);
}

async function errorOf(child: ReturnType<typeof runChild>): Promise<string> {
  return child.process.exitCode === null ? "" : (await child.ended).errors;
}
