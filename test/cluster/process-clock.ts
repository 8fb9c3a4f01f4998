import type { Clock, TimerHandle } from '#base/clock';
import type { FakeClock } from '../support/fake-clock.js';
import type { Place, Scheduler } from './scheduler.js';

/** Timers of a dead process never fire; those of a frozen one fire when it wakes. */
export class ProcessClock implements Clock {
  constructor(
    private readonly clock: FakeClock,
    private readonly scheduler: Scheduler,
    private readonly place: Place,
  ) {}

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  setTimeout(fn: () => void, ms: number): TimerHandle {
    const fire = (): void => {
      if (this.place.dead || handle.cancelled) return;
      if (this.place.frozen) this.scheduler.add(`${this.place.name} timer`, this.place, fire);
      else fn();
    };
    const inner = this.clock.setTimeout(fire, ms);
    const handle = { cancelled: false, inner };
    return handle;
  }

  clearTimeout(handle: TimerHandle): void {
    const own = handle as { cancelled: boolean; inner: TimerHandle };
    own.cancelled = true;
    this.clock.clearTimeout(own.inner);
  }
}
