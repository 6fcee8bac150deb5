import { CONTRACT_VERSION } from "@promptfold/contract";
import { FOLD_VERSION } from "@promptfold/fold";
import type { Journal, SnapshotKey } from "@promptfold/journal";
import type { StateSnapshot } from "@promptfold/replay";

/** Under what a journal keeps the snapshots of a stream that this release can read. */
export function snapshotKey(stream: string): SnapshotKey {
  return { stream, foldVersion: FOLD_VERSION, contractVersion: CONTRACT_VERSION };
}

/** The newest readable snapshot of a stream that does not stand above an offset, if there is one. */
export async function loadSnapshot(
  journal: Journal,
  stream: string,
  through: number | undefined,
): Promise<StateSnapshot | undefined> {
  const key = snapshotKey(stream);
  const kept = await journal.snapshots.load(key, through === undefined ? {} : { through });
  return kept && { ...key, ...kept };
}
