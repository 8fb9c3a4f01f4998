/**
 * Wakes actors, in memory or not, at the wall time that their roots ask for. For most actors each request of a client
 * moves that time, so an entry is small and moving it is cheap: one timer serves all, and an entry that was put off
 * keeps its place in the heap until its old time comes.
 */
import { type Clock, correctTimeFromAhead, type TimerHandle } from '#base/clock';
import type { ActorKey } from '#model';

interface DueTimerEntry {
  readonly key: ActorKey;
  /** Wall time at which the actor is woken, ms; Infinity if the entry was removed. */
  wakeAt: number;
  /** Time by which the entry is sorted in the heap; never later than `wakeAt`. */
  heapSortedAt: number;
}

/**
 * Maximum of actors woken at a time. Further due actors, such as the queues of a dead frontend's clients, wait
 * PAUSE_BETWEEN_WAKE_UP_BATCHES_MS.
 */
const MAX_WAKE_UPS_AT_ONCE = 256;
const PAUSE_BETWEEN_WAKE_UP_BATCHES_MS = 5;
/** Milliseconds until a timer whose command could not be delivered, or was refused, comes again. */
export const DUE_COMMAND_RETRY_DELAY_MS = 5_000;
/** Number of stale heap entries that is tolerated in addition to twice the number of live entries. */
const TOLERATED_STALE_HEAP_ENTRIES = 1_000;
/** Change of the wall clock against the monotonic one, ms, from which the wall clock counts as set. */
const MIN_CLOCK_STEP_MS = 1_000;

export class HostActorDueTimers {
  readonly #entryByActor = new Map<ActorKey, DueTimerEntry>();
  /** Heap of entries by time, earliest first. An entry that was moved to an earlier time is in the heap twice. */
  readonly #heapByWakeTime: { readonly time: number; readonly entry: DueTimerEntry }[] = [];
  #nextWakeUpTimer: TimerHandle | undefined;
  #timerArmedForWallMs = Number.POSITIVE_INFINITY;
  /** Greatest lead of the wall clock over the monotonic one, ms, since actors were last woken. */
  #wallClockLeadMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly fire: (key: ActorKey, wakeAt: number) => void,
    /** Longest delay that the actor asks for, ms. A later time was stored while the clock was ahead, and is due now. */
    private readonly maxDelayMs: (key: ActorKey) => number = () => Number.POSITIVE_INFINITY,
  ) {
    this.#wallClockLeadMs = clock.now() - clock.monotonic();
  }

  /** Number of actors that have a timer. */
  get timerCount(): number {
    return this.#entryByActor.size;
  }

  /** Number of timers of the actors that `which` selects. Visits every entry, so it is only for metrics. */
  countTimersWhere(which: (key: ActorKey) => boolean): number {
    let count = 0;
    for (const key of this.#entryByActor.keys()) if (which(key)) count++;
    return count;
  }

  /** Sets the stored wake-up time of an actor (wall ms), unless an earlier one is set. */
  setWakeTimeIfEarlier(key: ActorKey, stored: number): void {
    const at = this.#correctWakeTime(key, stored);
    if ((this.#entryByActor.get(key)?.wakeAt ?? Number.POSITIVE_INFINITY) > at) this.#setEntry(key, at);
  }

  #correctWakeTime(key: ActorKey, at: number): number {
    return correctTimeFromAhead(at, this.maxDelayMs(key), this.clock.now());
  }

  /** Sets the actor's wake-up time. @param at wall ms; null removes the timer */
  setWakeTime(key: ActorKey, at: number | null): void {
    const known = this.#entryByActor.get(key);
    if (at === null) {
      if (known) this.#removeEntry(known);
    } else if (known?.wakeAt !== at) this.#setEntry(key, this.#correctWakeTime(key, at));
  }

  #setEntry(key: ActorKey, at: number): void {
    const known = this.#entryByActor.get(key);
    if (known && known.heapSortedAt <= at) {
      known.wakeAt = at;
      this.#armTimerIfClockWasSetForward();
      return;
    }
    const entry = known ?? { key, wakeAt: at, heapSortedAt: at };
    entry.wakeAt = at;
    entry.heapSortedAt = at;
    this.#entryByActor.set(key, entry);
    this.#pushToHeap(at, entry);
    if (at < this.#timerArmedForWallMs) this.#armTimerForEarliestEntry();
    this.#armTimerIfClockWasSetForward();
  }

  /** Keeps the new lead, too: times that are set from now on show whether the clock is set back later. */
  #armTimerIfClockWasSetForward(): void {
    const lead = this.clock.now() - this.clock.monotonic();
    if (lead < this.#wallClockLeadMs + MIN_CLOCK_STEP_MS) return;
    this.#wallClockLeadMs = lead;
    this.#armTimerForEarliestEntry();
  }

  removeTimersWhere(which: (key: ActorKey) => boolean): void {
    for (const entry of [...this.#entryByActor.values()]) if (which(entry.key)) this.#removeEntry(entry);
    this.#removeStaleHeapEntries();
  }

  clearAllTimers(): void {
    this.removeTimersWhere(() => true);
    if (this.#nextWakeUpTimer) this.clock.clearTimeout(this.#nextWakeUpTimer);
    this.#nextWakeUpTimer = undefined;
    this.#timerArmedForWallMs = Number.POSITIVE_INFINITY;
  }

  #removeEntry(entry: DueTimerEntry): void {
    entry.wakeAt = Number.POSITIVE_INFINITY;
    this.#entryByActor.delete(entry.key);
    if (this.#heapByWakeTime.length > 2 * this.#entryByActor.size + TOLERATED_STALE_HEAP_ENTRIES)
      this.#removeStaleHeapEntries();
  }

  #armTimerForEarliestEntry(pause = 0): void {
    if (this.#nextWakeUpTimer) this.clock.clearTimeout(this.#nextWakeUpTimer);
    this.#nextWakeUpTimer = undefined;
    const first = this.#heapByWakeTime[0];
    this.#timerArmedForWallMs = first?.time ?? Number.POSITIVE_INFINITY;
    if (first)
      this.#nextWakeUpTimer = this.clock.setTimeout(
        () => this.#wakeDueActors(),
        Math.max(pause, first.time - this.clock.now()),
      );
  }

  #wakeDueActors(): void {
    this.#nextWakeUpTimer = undefined;
    // The value keeps `set` from arming the timer during this method, which arms the timer at its end.
    this.#timerArmedForWallMs = Number.NEGATIVE_INFINITY;
    this.#correctWakeTimesIfClockWasSetBack();
    const now = this.clock.now();
    let fired = 0;
    while (fired < MAX_WAKE_UPS_AT_ONCE && this.#heapByWakeTime.length > 0 && this.#heapByWakeTime[0]!.time <= now) {
      const { time, entry } = this.#popFromHeap();
      if (entry.heapSortedAt !== time || entry.wakeAt === Number.POSITIVE_INFINITY) continue;
      if (entry.wakeAt > now) {
        entry.heapSortedAt = entry.wakeAt;
        this.#pushToHeap(entry.wakeAt, entry);
        continue;
      }
      const { key, wakeAt } = entry;
      this.#entryByActor.delete(key);
      entry.wakeAt = Number.POSITIVE_INFINITY;
      fired++;
      this.fire(key, wakeAt);
    }
    this.#armTimerForEarliestEntry(fired === MAX_WAKE_UPS_AT_ONCE ? PAUSE_BETWEEN_WAKE_UP_BATCHES_MS : 0);
  }

  #correctWakeTimesIfClockWasSetBack(): void {
    const before = this.#wallClockLeadMs;
    this.#wallClockLeadMs = this.clock.now() - this.clock.monotonic();
    if (this.#wallClockLeadMs > before - MIN_CLOCK_STEP_MS) return;
    for (const { key, wakeAt } of [...this.#entryByActor.values()])
      this.setWakeTime(key, this.#correctWakeTime(key, wakeAt));
  }

  /**
   * Removes stale heap entries, so that a host that lost partitions doesn't keep the keys of their actors in memory.
   */
  #removeStaleHeapEntries(): void {
    const left = this.#heapByWakeTime.filter(
      ({ entry, time }) => entry.wakeAt !== Number.POSITIVE_INFINITY && entry.heapSortedAt === time,
    );
    left.sort((a, b) => a.time - b.time);
    this.#heapByWakeTime.splice(0, this.#heapByWakeTime.length, ...left);
  }

  #pushToHeap(time: number, entry: DueTimerEntry): void {
    const heap = this.#heapByWakeTime;
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

  #popFromHeap(): { readonly time: number; readonly entry: DueTimerEntry } {
    const heap = this.#heapByWakeTime;
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
