import t from 'tap';
import { EventLoopDelayMeter, type StartLoopDelayTimer } from '#app/ops';

class Turns {
  #fn: (lateMs: number) => void = () => {};
  stopped = false;

  readonly every: StartLoopDelayTimer = (_ms, fn) => {
    this.#fn = fn;
    return () => {
      this.stopped = true;
    };
  };

  /** Fires the timer `late` ms late, `times` times. */
  late(ms: number, times: number): void {
    for (let i = 0; i < times; i++) this.#fn(ms);
  }
}

t.test('a free event loop has no delay', (t) => {
  const turns = new Turns();
  const delay = new EventLoopDelayMeter(turns.every);
  t.equal(delay.medianDelayMs, 0, 'nor one of which nothing is known');
  turns.late(0, 20);
  t.equal(delay.medianDelayMs, 0);
  t.end();
});

t.test('one long pause is ignored, frequent lateness is reported, and the report ends', (t) => {
  const turns = new Turns();
  const delay = new EventLoopDelayMeter(turns.every);
  turns.late(0, 10);
  turns.late(5_000, 1);
  t.equal(delay.medianDelayMs, 0);
  turns.late(800, 10);
  t.equal(delay.medianDelayMs, 800);
  turns.late(0, 10);
  t.equal(delay.medianDelayMs, 0);
  delay.close();
  t.ok(turns.stopped);
  t.end();
});
