/**
 * The presences of an organization in memory, which is the only complete copy. Changes since the last flush are noted
 * by part, changes since an earlier read by version.
 */
import type { Json } from '#base';
import type { PresenceChanges, PresenceTimes } from '#domain/presence';
import type { PresenceChangesCursor } from '#model/commands';
import { decodePresencePart, encodePresencePart, presenceBucketOfUser, presencePartName } from './state.js';

/** Minimum number of changes that are remembered one by one; a reader that missed more gets all presences. */
const MIN_REMEMBERED_CHANGES = 1_000;

export class PresenceMemory {
  /**
   * Id of this activation, which cursors contain: versions of another activation must not be mistaken for its own. The
   * sidecar sets it.
   */
  activationId = '';
  readonly #timesByUserId = new Map<number, PresenceTimes>();
  readonly #userIdsByBucket = new Map<number, Set<number>>();
  readonly #unsavedBucketNumbers = new Set<number>();
  /**
   * Users whose presence changed, in the order of the changes. The first entry belongs to version
   * `#oldestRememberedChangeVersion`.
   */
  #userIdsInChangeOrder: number[] = [];
  #oldestRememberedChangeVersion = 1;

  constructor(parts: ReadonlyMap<string, Json>) {
    for (const value of parts.values())
      for (const [user, times] of decodePresencePart(value)) this.#putPresenceTimes(user, times);
  }

  get version(): number {
    return this.#oldestRememberedChangeVersion + this.#userIdsInChangeOrder.length - 1;
  }

  /** True if memory holds changes that are not stored. */
  get hasUnsavedChanges(): boolean {
    return this.#unsavedBucketNumbers.size > 0;
  }

  presenceTimesOf(user: number): PresenceTimes | undefined {
    return this.#timesByUserId.get(user);
  }

  setPresenceTimes(user: number, times: PresenceTimes): void {
    this.#putPresenceTimes(user, times);
    this.#recordChange(user);
  }

  /** Sets times later than now to now: the clock was ahead when they were stored. */
  correctTimesAfter(now: number): void {
    for (const [user, { active, connected }] of this.#timesByUserId)
      if (connected > now || (active ?? 0) > now)
        this.setPresenceTimes(user, { active: active && Math.min(active, now), connected: Math.min(connected, now) });
  }

  removePresenceTimes(user: number): void {
    if (!this.#timesByUserId.delete(user)) return;
    this.#userIdsByBucket.get(presenceBucketOfUser(user))?.delete(user);
    this.#recordChange(user);
  }

  /** Returns the parts to write; they count as written from now on. */
  takeUnsavedParts(): Record<string, Json> {
    const parts: Record<string, Json> = {};
    for (const bucket of this.#unsavedBucketNumbers) {
      const users = [...(this.#userIdsByBucket.get(bucket) ?? [])];
      parts[presencePartName(bucket)] =
        users.length === 0 ? null : encodePresencePart(users.map((user) => [user, this.#timesByUserId.get(user)!]));
    }
    this.#unsavedBucketNumbers.clear();
    return parts;
  }

  /** Presences that have changed since the version that the reader has. */
  listChangesSinceOrAll(known: PresenceChangesCursor | null): PresenceChanges {
    const { activationId, version } = this;
    const missed =
      known?.source === activationId &&
      known.version >= this.#oldestRememberedChangeVersion - 1 &&
      known.version <= version;
    const users = missed
      ? new Set(this.#userIdsInChangeOrder.slice(known.version - this.#oldestRememberedChangeVersion + 1))
      : this.#timesByUserId.keys();
    const seen: [number, number | null, number][] = [];
    const gone: number[] = [];
    for (const user of users) {
      const times = this.#timesByUserId.get(user);
      if (times) seen.push([user, times.active, times.connected]);
      else gone.push(user);
    }
    return { source: activationId, since: missed ? known.version : null, version, seen, gone };
  }

  #putPresenceTimes(user: number, times: PresenceTimes): void {
    this.#timesByUserId.set(user, times);
    const bucket = presenceBucketOfUser(user);
    const of = this.#userIdsByBucket.get(bucket) ?? new Set();
    this.#userIdsByBucket.set(bucket, of.add(user));
  }

  #recordChange(user: number): void {
    this.#unsavedBucketNumbers.add(presenceBucketOfUser(user));
    this.#userIdsInChangeOrder.push(user);
    const most = Math.max(MIN_REMEMBERED_CHANGES, 2 * this.#timesByUserId.size);
    if (this.#userIdsInChangeOrder.length <= 2 * most) return;
    const dropped = this.#userIdsInChangeOrder.length - most;
    this.#userIdsInChangeOrder = this.#userIdsInChangeOrder.slice(dropped);
    this.#oldestRememberedChangeVersion += dropped;
  }
}
