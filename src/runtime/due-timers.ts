/**
 * Wakes actors, in memory or not, at the wall time that their roots ask for. For most actors each request of a client
 * moves that time, so an entry is small and moving it is cheap: one timer serves all, and an entry that was put off
 * keeps its place in the heap until its old time comes.
 */
import type { Clock, TimerHandle } from '#base/clock';
import type { ActorKey } from '#model';

interface Entry {
  readonly key: ActorKey;
  /** Wall time at which the actor is woken, ms; Infinity if the entry was removed. */
  at: number;
  /** Time by which the entry is sorted in the heap; never later than `at`. */
  placed: number;
}

/** Maximum of actors woken at a time; further due actors (clients of a dead frontend) wait PAUSE_MS. */
const SLICE = 256;
const PAUSE_MS = 5;
/** Number of stale heap entries that is tolerated in addition to twice the number of live entries. */
const SLACK = 1_000;

export class ActorDueTimers {
  readonly #entries = new Map<ActorKey, Entry>();
  /** Heap of entries by time, earliest first. An entry that was moved to an earlier time is in the heap twice. */
  readonly #heap: { readonly time: number; readonly entry: Entry }[] = [];
  #timer: TimerHandle | undefined;
  #armed = Number.POSITIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly fire: (key: ActorKey) => void,
  ) {}

  /** Number of actors that have a timer. */
  get size(): number {
    return this.#entries.size;
  }

  /** Number of timers of the actors that `which` selects. Visits every entry, so it is only for metrics. */
  count(which: (key: ActorKey) => boolean): number {
    let count = 0;
    for (const key of this.#entries.keys()) if (which(key)) count++;
    return count;
  }

  /** Sets the actor's wake-up time (wall ms), unless an earlier one is set. */
  atLatest(key: ActorKey, at: number): void {
    if ((this.#entries.get(key)?.at ?? Number.POSITIVE_INFINITY) > at) this.set(key, at);
  }

  /** Sets the actor's wake-up time. @param at wall ms; null removes the timer */
  set(key: ActorKey, at: number | null): void {
    const known = this.#entries.get(key);
    if (at === null) {
      if (known) this.#forget(known);
      return;
    }
    if (known && known.placed <= at) {
      known.at = at;
      return;
    }
    const entry = known ?? { key, at, placed: at };
    entry.at = at;
    entry.placed = at;
    this.#entries.set(key, entry);
    this.#push(at, entry);
    if (at < this.#armed) this.#arm();
  }

  drop(which: (key: ActorKey) => boolean): void {
    for (const entry of [...this.#entries.values()]) if (which(entry.key)) this.#forget(entry);
    this.#compact();
  }

  clear(): void {
    this.drop(() => true);
    if (this.#timer) this.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#armed = Number.POSITIVE_INFINITY;
  }

  #forget(entry: Entry): void {
    entry.at = Number.POSITIVE_INFINITY;
    this.#entries.delete(entry.key);
    if (this.#heap.length > 2 * this.#entries.size + SLACK) this.#compact();
  }

  #arm(pause = 0): void {
    if (this.#timer) this.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    const first = this.#heap[0];
    this.#armed = first?.time ?? Number.POSITIVE_INFINITY;
    if (first) this.#timer = this.clock.setTimeout(() => this.#ring(), Math.max(pause, first.time - this.clock.now()));
  }

  #ring(): void {
    this.#timer = undefined;
    // The value keeps `set` from arming the timer during this method, which arms the timer at its end.
    this.#armed = Number.NEGATIVE_INFINITY;
    const now = this.clock.now();
    let fired = 0;
    while (fired < SLICE && this.#heap.length > 0 && this.#heap[0]!.time <= now) {
      const { time, entry } = this.#pop();
      if (entry.placed !== time || entry.at === Number.POSITIVE_INFINITY) continue;
      if (entry.at > now) {
        entry.placed = entry.at;
        this.#push(entry.at, entry);
        continue;
      }
      this.#entries.delete(entry.key);
      entry.at = Number.POSITIVE_INFINITY;
      fired++;
      this.fire(entry.key);
    }
    this.#arm(fired === SLICE ? PAUSE_MS : 0);
  }

  /**
   * Removes stale heap entries, so that a host that lost partitions doesn't keep the keys of their actors in memory.
   */
  #compact(): void {
    const left = this.#heap.filter(({ entry, time }) => entry.at !== Number.POSITIVE_INFINITY && entry.placed === time);
    left.sort((a, b) => a.time - b.time);
    this.#heap.splice(0, this.#heap.length, ...left);
  }

  #push(time: number, entry: Entry): void {
    const heap = this.#heap;
    const item = { time, entry };
    let at = heap.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (heap[above]!.time <= time) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = item;
  }

  #pop(): { readonly time: number; readonly entry: Entry } {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && heap[below + 1]!.time < heap[below]!.time) below++;
      if (heap[below]!.time >= last.time) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}
