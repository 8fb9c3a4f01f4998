/**
 * The presences of an organization in memory, which is the only complete copy. Changes since the last flush are noted
 * by part, changes since an earlier read by version.
 */
import type { Json } from '#base';
import type { PresenceChanges, PresenceTimes } from '#domain/presence';
import type { PresenceChangesCursor } from '#model/commands';
import { decodePresenceTimes, encodePresenceTimes, presenceBucketOf, presencePartName } from './state.js';

/** Minimum number of changes that are remembered one by one; a reader that missed more gets all presences. */
const LEAST_HISTORY = 1_000;

export class PresenceMemory {
  /**
   * Id of this activation, which cursors contain: versions of another activation must not be mistaken for its own. The
   * sidecar sets it.
   */
  source = '';
  readonly #of = new Map<number, PresenceTimes>();
  readonly #buckets = new Map<number, Set<number>>();
  readonly #unsaved = new Set<number>();
  /** Users whose presence changed, in the order of the changes. The first entry belongs to version `#first`. */
  #history: number[] = [];
  #first = 1;

  constructor(parts: ReadonlyMap<string, Json>) {
    for (const value of parts.values()) for (const [user, times] of decodePresenceTimes(value)) this.#put(user, times);
  }

  get version(): number {
    return this.#first + this.#history.length - 1;
  }

  /** True if memory holds changes that are not stored. */
  get dirty(): boolean {
    return this.#unsaved.size > 0;
  }

  presenceTimesOf(user: number): PresenceTimes | undefined {
    return this.#of.get(user);
  }

  set(user: number, times: PresenceTimes): void {
    this.#put(user, times);
    this.#changed(user);
  }

  remove(user: number): void {
    if (!this.#of.delete(user)) return;
    this.#buckets.get(presenceBucketOf(user))?.delete(user);
    this.#changed(user);
  }

  /** Returns the parts to write; they count as written from now on. */
  flush(): Record<string, Json> {
    const parts: Record<string, Json> = {};
    for (const bucket of this.#unsaved) {
      const users = [...(this.#buckets.get(bucket) ?? [])];
      parts[presencePartName(bucket)] =
        users.length === 0 ? null : encodePresenceTimes(users.map((user) => [user, this.#of.get(user)!]));
    }
    this.#unsaved.clear();
    return parts;
  }

  /** Presences that have changed since the version that the reader has. */
  since(known: PresenceChangesCursor | null): PresenceChanges {
    const { source, version } = this;
    const missed = known?.source === source && known.version >= this.#first - 1 && known.version <= version;
    const users = missed ? new Set(this.#history.slice(known.version - this.#first + 1)) : this.#of.keys();
    const seen: [number, number | null, number][] = [];
    const gone: number[] = [];
    for (const user of users) {
      const times = this.#of.get(user);
      if (times) seen.push([user, times.active, times.connected]);
      else gone.push(user);
    }
    return { source, since: missed ? known.version : null, version, seen, gone };
  }

  #put(user: number, times: PresenceTimes): void {
    this.#of.set(user, times);
    const bucket = presenceBucketOf(user);
    const of = this.#buckets.get(bucket) ?? new Set();
    this.#buckets.set(bucket, of.add(user));
  }

  #changed(user: number): void {
    this.#unsaved.add(presenceBucketOf(user));
    this.#history.push(user);
    const most = Math.max(LEAST_HISTORY, 2 * this.#of.size);
    if (this.#history.length <= 2 * most) return;
    const dropped = this.#history.length - most;
    this.#history = this.#history.slice(dropped);
    this.#first += dropped;
  }
}
