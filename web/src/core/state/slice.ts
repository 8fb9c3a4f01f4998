import type { Snapshot } from '../../contract/index.js';

/** A part of the state: loaded from a snapshot, changed by events (../apply), saved in the form of a snapshot. */
export interface StateSlice {
  loadFromSnapshot(snapshot: Snapshot): void;
  /** The same fields that `loadFromSnapshot` reads, so that another tab or a later visit can start from them. */
  makeSnapshotFields(): Partial<Snapshot>;
}
