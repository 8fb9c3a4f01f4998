/**
 * Who was here when, in memory: the one place where it is true. What changed since the last flush is known by part,
 * and what changed since any question by version.
 */
import type { Json } from '#base';
import type { PresenceChanges, PresenceTimes } from '#domain/presence';
import type { PresenceKnown } from '#model/commands';
import { bucketOf, decodeTimes, encodeTimes, partOf } from './state.js';

/** Changes that are remembered one by one, at least; whoever has missed more gets everything. */
const LEAST_HISTORY = 1_000;

export class Presences {
  /** Names this activation; set when it begins. */
  source = '';
  readonly #of = new Map<number, PresenceTimes>();
  readonly #buckets = new Map<number, Set<number>>();
  readonly #unsaved = new Set<number>();
  /** Users in the order of their changes; the first belongs to version `#first`. */
  #history: number[] = [];
  #first = 1;

  constructor(parts: ReadonlyMap<string, Json>) {
    for (const value of parts.values()) for (const [user, times] of decodeTimes(value)) this.#put(user, times);
  }

  get version(): number {
    return this.#first + this.#history.length - 1;
  }

  /** Something is known to memory alone. */
  get dirty(): boolean {
    return this.#unsaved.size > 0;
  }

  of(user: number): PresenceTimes | undefined {
    return this.#of.get(user);
  }

  set(user: number, times: PresenceTimes): void {
    this.#put(user, times);
    this.#changed(user);
  }

  remove(user: number): void {
    if (!this.#of.delete(user)) return;
    this.#buckets.get(bucketOf(user))?.delete(user);
    this.#changed(user);
  }

  /** Parts to write. From then on they count as written. */
  flush(): Record<string, Json> {
    const parts: Record<string, Json> = {};
    for (const bucket of this.#unsaved) {
      const users = [...(this.#buckets.get(bucket) ?? [])];
      parts[partOf(bucket)] = users.length === 0 ? null : encodeTimes(users.map((user) => [user, this.#of.get(user)!]));
    }
    this.#unsaved.clear();
    return parts;
  }

  /** What somebody who knows so much has missed. */
  since(known: PresenceKnown | null): PresenceChanges {
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
    const bucket = bucketOf(user);
    const of = this.#buckets.get(bucket) ?? new Set();
    this.#buckets.set(bucket, of.add(user));
  }

  #changed(user: number): void {
    this.#unsaved.add(bucketOf(user));
    this.#history.push(user);
    const most = Math.max(LEAST_HISTORY, 2 * this.#of.size);
    if (this.#history.length <= 2 * most) return;
    const dropped = this.#history.length - most;
    this.#history = this.#history.slice(dropped);
    this.#first += dropped;
  }
}
