/**
 * Frontends tell each other what they counted: at most one message a second of each, beside the log of the server's own realm,
 * and none while nobody calls. No call waits for it, and one that is lost is not missed: limits are then those of each frontend
 * for that second. decisions/016-rate-limits.md.
 */

import type { Json } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import type { BucketKind, Told } from './buckets.js';
import type { RateLimits } from './rate-limits.js';

/** A way to all frontends, this one included. */
export interface Everybody {
  /** May be lost. */
  publish(value: Json): void;
  /** @param reader gets what anybody publishes, in any order */
  follow(reader: (value: Json) => void): void;
}

const EVERY_MS = 1_000;
/** Callers told of in one message: some 100 KB. What is left comes with the next. */
const MOST_CALLERS = 5_000;

/** own: '' for none. */
type Row = readonly [kind: BucketKind, key: string, calls: number, own: string];

interface Calls {
  readonly t: 'calls';
  readonly from: string;
  readonly rows: readonly Row[];
}

export class CallSharing {
  #timer: TimerHandle | undefined;
  #stopped = false;

  /** @param id of this process, unlike that of any other */
  constructor(
    private readonly limits: RateLimits,
    private readonly clock: Clock,
    private readonly id: string,
    private readonly everybody: Everybody,
  ) {
    limits.buckets.watch(() => this.#soon());
    everybody.follow((value) => this.#read(value));
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer) this.clock.clearTimeout(this.#timer);
  }

  #soon(): void {
    if (this.#stopped || this.#timer) return;
    this.#timer = this.clock.setTimeout(() => this.#tell(), EVERY_MS);
  }

  #tell(): void {
    this.#timer = undefined;
    const { buckets } = this.limits;
    const rows = buckets.news(MOST_CALLERS).map(({ kind, key, calls, own = '' }): Row => [kind, key, calls, own]);
    const message: Calls = { t: 'calls', from: this.id, rows };
    this.everybody.publish(message as unknown as Json);
    if (buckets.hasNews) this.#soon();
  }

  #read(value: Json): void {
    const { t, from, rows } = value as unknown as Partial<Calls>;
    if (t !== 'calls' || from === this.id || !rows) return;
    for (const [kind, key, calls, own] of rows) {
      const told: Told = { kind, key, calls, own: own === '' ? undefined : own };
      this.limits.add(told);
    }
  }
}
