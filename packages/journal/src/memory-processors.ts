import type { Clock } from "./clock.ts";
import type { LeaseTarget, Snapshot, SnapshotKey } from "./journal.ts";
import type { ProcessorStore } from "./store.ts";

interface LeaseState {
  readonly fence: number;
  readonly held: boolean;
  readonly expiresAt: number;
}

/** Leases, checkpoints and snapshots of a journal in memory. */
export class MemoryProcessors implements ProcessorStore {
  readonly #clock: Clock;
  readonly #leases = new Map<string, LeaseState>();
  readonly #checkpoints = new Map<string, number>();
  readonly #snapshots = new Map<string, Map<string, Map<number, string>>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether nobody took the lease over since this fence was given. */
  holds(target: LeaseTarget, fence: number): boolean {
    const lease = this.#leases.get(leaseKey(target));
    return lease?.fence === fence && lease.held;
  }

  freeLeases(targets: readonly LeaseTarget[]): Promise<readonly boolean[]> {
    const now = this.#clock();
    return Promise.resolve(
      targets.map((target) => (this.#leases.get(leaseKey(target))?.expiresAt ?? 0) <= now),
    );
  }

  acquireLease(target: LeaseTarget, ttlMs: number): Promise<number | undefined> {
    const now = this.#clock();
    const held = this.#leases.get(leaseKey(target));
    if (held !== undefined && held.expiresAt > now) return Promise.resolve(undefined);
    const fence = (held?.fence ?? 0) + 1;
    this.#leases.set(leaseKey(target), { fence, held: true, expiresAt: now + ttlMs });
    return Promise.resolve(fence);
  }

  renewLease(target: LeaseTarget, fence: number, ttlMs: number): Promise<boolean> {
    if (!this.holds(target, fence)) return Promise.resolve(false);
    this.#leases.set(leaseKey(target), { fence, held: true, expiresAt: this.#clock() + ttlMs });
    return Promise.resolve(true);
  }

  releaseLease(target: LeaseTarget, fence: number): Promise<void> {
    if (this.holds(target, fence)) {
      this.#leases.set(leaseKey(target), { fence, held: false, expiresAt: 0 });
    }
    return Promise.resolve();
  }

  loadCheckpoint(processor: string, scope: string): Promise<number> {
    return Promise.resolve(this.#checkpoints.get(JSON.stringify([processor, scope])) ?? 0);
  }

  saveCheckpoint(processor: string, scope: string, cursor: number | undefined): Promise<void> {
    const key = JSON.stringify([processor, scope]);
    if (cursor === undefined) this.#checkpoints.delete(key);
    else this.#checkpoints.set(key, Math.max(cursor, this.#checkpoints.get(key) ?? 0));
    return Promise.resolve();
  }

  saveSnapshot(key: SnapshotKey, snapshot: Snapshot): Promise<void> {
    const ofStream = this.#snapshots.get(key.stream) ?? new Map<string, Map<number, string>>();
    const ofVersion = ofStream.get(versionKey(key)) ?? new Map<number, string>();
    this.#snapshots.set(key.stream, ofStream);
    ofStream.set(versionKey(key), ofVersion);
    ofVersion.set(snapshot.offset, snapshot.state);
    return Promise.resolve();
  }

  loadSnapshot(key: SnapshotKey, through: number): Promise<Snapshot | undefined> {
    const saved = this.#snapshots.get(key.stream)?.get(versionKey(key)) ?? new Map<number, string>();
    let best: Snapshot | undefined;
    for (const [offset, state] of saved) {
      if (offset <= through && offset > (best?.offset ?? -1)) best = { offset, state };
    }
    return Promise.resolve(best);
  }

  clearSnapshots(stream: string): Promise<void> {
    this.#snapshots.delete(stream);
    return Promise.resolve();
  }
}

function leaseKey(target: LeaseTarget): string {
  return JSON.stringify([target.stream, target.processor]);
}

function versionKey(key: SnapshotKey): string {
  return JSON.stringify([key.foldVersion, key.contractVersion]);
}
