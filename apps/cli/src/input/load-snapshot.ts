import { CONTRACT_VERSION } from "@promptfold/contract";
import { FOLD_VERSION } from "@promptfold/fold";
import type { Journal, SnapshotKey } from "@promptfold/journal";
import type { StateSnapshot } from "@promptfold/replay";

/** Under what a journal keeps the snapshots of a stream that this release can read. */
export function snapshotKey(stream: string): SnapshotKey {
  return { stream, foldVersion: FOLD_VERSION, contractVersion: CONTRACT_VERSION };
}

/** The newest readable snapshot of a stream at or below an offset, and not above the stream's end, if there is one. */
export async function loadSnapshot(
  journal: Journal,
  stream: string,
  through: number | undefined,
): Promise<StateSnapshot | undefined> {
  const key = snapshotKey(stream);
  const head = await journal.head(stream);
  const kept = await journal.snapshots.load(key, { through: Math.max(0, Math.min(through ?? head, head)) });
  return kept && { ...key, ...kept };
}
