import type { Clock, TimerHandle } from '#base/clock';
import type { FakeClock } from '../support/fake-clock.js';
import type { Scheduler, SimulatedProcess } from './scheduler.js';

/** Clock of one simulated process. Timers of a dead process never fire; a frozen process runs them after it resumes. */
export class ProcessClock implements Clock {
  constructor(
    private readonly clock: FakeClock,
    private readonly scheduler: Scheduler,
    private readonly process: SimulatedProcess,
  ) {}

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  setTimeout(fn: () => void, ms: number): TimerHandle {
    const fire = (): void => {
      if (this.process.dead || handle.cancelled) return;
      if (this.process.frozen) this.scheduler.add(`${this.process.name} timer`, this.process, fire);
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
