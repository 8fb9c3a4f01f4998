/**
 * Wakes actors, in memory or not, at the wall time that their roots ask for. Most of them are event queues whose time moves on
 * with each sign of life of their client, so an entry must be small and moving it cheap: one timer for all, a heap of
 * entries, and one whose time was put off stays where it is in the heap until its old time comes.
 */
import type { Clock, TimerHandle } from '#base/clock';
import type { ActorKey } from '#model';

interface Entry {
  readonly key: ActorKey;
  /** Wall time, ms; infinite: nothing to wait for any more. */
  at: number;
  /** Its place in the heap is by this time, which is never later than `at`. */
  placed: number;
}

/** What became due together (the queues of a frontend that died) is done in slices, with other work between. */
const AT_ONCE = 256;
const PAUSE_MS = 5;
/** Places in the heap that nobody needs any more. */
const SLACK = 1_000;

export class DueTimers {
  readonly #entries = new Map<ActorKey, Entry>();
  /** Earliest first. Holds each entry, and for one that was moved forward also its former place. */
  readonly #heap: { readonly time: number; readonly entry: Entry }[] = [];
  #timer: TimerHandle | undefined;
  #armed = Number.POSITIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly fire: (key: ActorKey) => void,
  ) {}

  /** Actors that wait. */
  get size(): number {
    return this.#entries.size;
  }

  /** For metrics: looks at all of them. */
  count(which: (key: ActorKey) => boolean): number {
    let count = 0;
    for (const key of this.#entries.keys()) if (which(key)) count++;
    return count;
  }

  /** Then, unless it is to ring earlier. */
  atLatest(key: ActorKey, at: number): void {
    if ((this.#entries.get(key)?.at ?? Number.POSITIVE_INFINITY) > at) this.set(key, at);
  }

  /** null: nothing more to wait for. */
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
    // What is set meanwhile is armed for below.
    this.#armed = Number.NEGATIVE_INFINITY;
    const now = this.clock.now();
    let fired = 0;
    while (fired < AT_ONCE && this.#heap.length > 0 && this.#heap[0]!.time <= now) {
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
    this.#arm(fired === AT_ONCE ? PAUSE_MS : 0);
  }

  /** Without what was forgotten: a host that lost its partitions must not keep their keys until their time. */
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
