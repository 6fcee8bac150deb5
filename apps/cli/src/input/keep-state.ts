import type { Journal } from "@promptfold/journal";
import { type StateSnapshot, takeSnapshot } from "@promptfold/replay";
import { journalSource } from "./event-source.ts";
import { replayThrough } from "./read-state.ts";
import { snapshotKey } from "./load-snapshot.ts";

/** Folds a stream through an offset and keeps the state in the journal. @throws InputError when no event stands there */
export async function keepState(journal: Journal, stream: string, at: number): Promise<StateSnapshot> {
  const snapshot = takeSnapshot(await replayThrough(journalSource(journal, stream), at));
  const { offset, state } = snapshot;
  await journal.snapshots.save(snapshotKey(stream), { offset, state });
  return snapshot;
}
