import type { Clock, TimerHandle } from '#base/clock';

interface FakeHandle extends TimerHandle {
  cancelled: boolean;
  at: number;
  order: number;
  fn: () => void;
}

/** Clock whose time moves only when a test moves it. Timers fire in order of due time, then of creation. */
export class FakeClock implements Clock {
  #now: number;
  #mono = 0;
  #order = 0;
  #timers: FakeHandle[] = [];

  constructor(start = 1_700_000_000_000) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#mono;
  }

  setTimeout(fn: () => void, ms: number): TimerHandle {
    const handle: FakeHandle = { cancelled: false, at: this.#mono + Math.max(0, ms), order: this.#order++, fn };
    this.#timers.push(handle);
    return handle;
  }

  clearTimeout(handle: TimerHandle): void {
    (handle as FakeHandle).cancelled = true;
    this.#timers = this.#timers.filter((t) => t !== handle);
  }

  /** Milliseconds until the next timer, or undefined when none is armed. */
  next(): number | undefined {
    let at = Number.POSITIVE_INFINITY;
    for (const t of this.#timers) at = Math.min(at, t.at);
    return at === Number.POSITIVE_INFINITY ? undefined : at - this.#mono;
  }

  /** Moves time forward and fires each timer at its due time. Synchronous: promises settle when the caller awaits. */
  advance(ms: number): void {
    const end = this.#mono + ms;
    for (;;) {
      let next: FakeHandle | undefined;
      for (const t of this.#timers) {
        if (t.at <= end && (!next || t.at < next.at || (t.at === next.at && t.order < next.order))) next = t;
      }
      if (!next) break;
      this.#timers = this.#timers.filter((t) => t !== next);
      this.#now += next.at - this.#mono;
      this.#mono = next.at;
      next.fn();
    }
    this.#now += end - this.#mono;
    this.#mono = end;
  }

  /**
   * Jumps like the clock of a machine that wakes from sleep: every timer that became due fires once, at the new time.
   */
  leap(ms: number): void {
    this.#now += ms;
    this.#mono += ms;
    for (const timer of this.#timers) timer.at = Math.max(timer.at, this.#mono);
    this.advance(0);
  }

  /** Sets the wall clock forward or back, like a correction of the machine's clock. Timers are not affected. */
  correctWallTime(ms: number): void {
    this.#now += ms;
  }

  /** Moves time forward as `advance` does, and lets promises settle (turns of the event loop) around each timer. */
  async advanceAsync(ms: number): Promise<void> {
    const end = this.#mono + ms;
    for (;;) {
      await settle();
      const next = this.next();
      if (next === undefined || this.#mono + next > end) break;
      this.advance(next);
    }
    this.advance(end - this.#mono);
    await settle();
  }

  /**
   * Moves time forward by days, cheaply: each timer due before the last hour fires once; the last hour runs in full.
   */
  async longAsync(ms: number): Promise<void> {
    const last = Math.min(ms, 3_600_000);
    this.leap(ms - last);
    await this.advanceAsync(last);
  }
}

/** Lets microtasks and a few turns of the event loop run, so that promises settle. */
export async function settle(turns = 4): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
