import { CONTRACT_VERSION } from "@promptfold/contract";
import { FOLD_VERSION } from "@promptfold/fold";
import type { Journal, SnapshotKey } from "@promptfold/journal";
import { type ReadSnapshot, readSnapshot } from "@promptfold/replay";

/** Under what a journal keeps the snapshots of a stream that this release can read. */
export function snapshotKey(stream: string): SnapshotKey {
  return { stream, foldVersion: FOLD_VERSION, contractVersion: CONTRACT_VERSION };
}

/**
 * The newest readable snapshot of a stream at or below an offset, and not above the stream's end, if there is one. One
 * whose text is damaged is told to `onDamaged`, and the next older one is tried.
 */
export async function loadSnapshot(
  journal: Journal,
  stream: string,
  through: number | undefined,
  onDamaged: (offset: number) => void,
): Promise<ReadSnapshot | undefined> {
  const key = snapshotKey(stream);
  const head = await journal.head(stream);
  let highest = Math.min(through ?? head, head);
  while (highest > 0) {
    const kept = await journal.snapshots.load(key, { through: highest });
    if (kept === undefined) return undefined;
    const read = readSnapshot({ ...key, ...kept });
    if (read !== undefined) return read;
    onDamaged(kept.offset);
    highest = Math.min(kept.offset, highest) - 1;
  }
  return undefined;
}
