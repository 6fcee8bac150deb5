import assert from "node:assert/strict";
import { once } from "node:events";
import type { CommittedEvent, Journal } from "../journal.ts";
import { readAll, take } from "../testing/subject.ts";
import { runChild } from "./run-child.ts";

/** How often the kill tests kill: 20 times, or as PROMPTFOLD_KILL_ROUNDS says. */
export const KILL_ROUNDS: number = Number(process.env["PROMPTFOLD_KILL_ROUNDS"] ?? 20);

interface Fault {
  readonly batch: number;
  readonly index: number;
  readonly size: number;
}

/**
 * Kills a child that appends and reports each acknowledgement, at a random moment, again and again. After each kill
 * nothing acknowledged is lost, nothing is doubled and no batch is half there; a tail saw the same.
 */
export async function killRounds(url: string, open: () => Promise<Journal>, rounds: number): Promise<void> {
  const stream = "/killed";
  let next = 0;
  const acknowledged: [number, number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const child = runChild(["acknowledge", url, stream, String(next)]);
    const first = await child.lines.next();
    if (first.done === true) assert.fail(`round ${String(round)}: ${(await child.ended).errors}`);
    acknowledged.push(JSON.parse(first.value) as [number, number, number]);
    const delay = Math.random() * 30;
    setTimeout(() => child.process.kill("SIGKILL"), delay);
    for await (const line of child.lines) acknowledged.push(JSON.parse(line) as [number, number, number]);
    assert.equal((await child.ended).signal, "SIGKILL");
    const journal = await open();
    try {
      next = await checkBatches(journal, stream, acknowledged);
    } finally {
      await journal.close();
    }
  }
  assert.ok(acknowledged.length >= rounds);
}

/** Checks the stream against what was acknowledged; returns the number of the next batch. */
async function checkBatches(
  journal: Journal,
  stream: string,
  acknowledged: readonly (readonly [number, number, number])[],
): Promise<number> {
  const events = await readAll(journal, stream);
  const found = new Map<number, CommittedEvent[]>();
  events.forEach((event, index) => {
    assert.equal(event.offset, index + 1);
    const { batch } = event.payload as Fault;
    found.set(batch, [...(found.get(batch) ?? []), event]);
  });
  for (const batch of found.values()) {
    const { size } = batch[0]?.payload as Fault;
    assert.deepEqual(
      batch.map(({ payload }) => (payload as Fault).index),
      Array.from({ length: size }, (_, index) => index),
    );
    assert.equal((batch.at(-1)?.offset ?? 0) - (batch[0]?.offset ?? 0), size - 1);
  }
  for (const [number, from, to] of acknowledged) {
    const batch = found.get(number);
    assert.deepEqual(
      [batch?.[0]?.offset, batch?.at(-1)?.offset],
      [from, to],
      `batch ${String(number)} is lost`,
    );
  }
  // At most the batch that was on its way when the child died is there without an acknowledgement, in each round.
  assert.deepEqual(
    [...found.keys()],
    Array.from({ length: found.size }, (_, index) => index),
  );
  assert.deepEqual(await take(journal.subscribe({ prefix: stream }), events.length), events);
  return found.size;
}

/** Batches of 150 under a running tail, the writer killed: the tail only ever sees whole batches. */
export async function killUnderTail(url: string, open: () => Promise<Journal>): Promise<void> {
  const journal = await open();
  const stream = "/tailed";
  const abort = new AbortController();
  const seen: CommittedEvent[] = [];
  const tail = (async () => {
    for await (const event of journal.subscribe({ stream }, { signal: abort.signal })) seen.push(event);
  })();
  const child = runChild(["acknowledge", url, stream, "0", "150"]);
  await child.lines.next();
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
  child.process.kill("SIGKILL");
  await once(child.process, "close");
  const events = await readAll(journal, stream);
  while (seen.length < events.length) await new Promise((resolve) => setTimeout(resolve, 1));
  abort.abort();
  await tail;
  await journal.close();
  assert.deepEqual(seen, events);
  assert.ok(events.length >= 150);
  assert.equal(events.length % 150, 0);
}
