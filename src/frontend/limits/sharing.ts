/**
 * Frontends share their counts of calls: each publishes at most one message a second, and none while there are no
 * calls. The messages go beside the log of the server's own realm. No call waits for these messages. A lost message is
 * tolerated: for that second each frontend limits by itself (decisions/016-rate-limits.md).
 */
import type { Json } from '#base';
import type { Clock, TimerHandle } from '#base/clock';
import type { RateBucketKind } from './buckets.js';
import type { BucketRateLimiter } from './rate-limits.js';

/** A lossy, unordered channel between all frontends: a published message reaches every reader, its sender included. */
interface FrontendBroadcast {
  /** Sends a message to all frontends; it may be lost. */
  publish(value: Json): void;
  /** Receives the messages of all frontends. @param reader gets all published messages, in any order */
  follow(reader: (value: Json) => void): void;
}

const EVERY_MS = 1_000;
/** Maximum of buckets in one message: some 100 KB. Further buckets go into the next message. */
const MAX_CALLERS = 5_000;

/** Counted calls of one bucket in a message. `own`: rules of the account as text; '' if the configured rules apply. */
type Row = readonly [kind: RateBucketKind, key: string, calls: number, own: string];

interface CountsMessage {
  readonly t: 'calls';
  readonly from: string;
  readonly rows: readonly Row[];
}

export class RateLimitCountSharing {
  #timer: TimerHandle | undefined;
  #stopped = false;

  /** Starts sharing counts. @param id unique id of this process */
  constructor(
    private readonly limits: BucketRateLimiter,
    private readonly clock: Clock,
    private readonly id: string,
    private readonly broadcast: FrontendBroadcast,
  ) {
    limits.buckets.onUnshared(() => this.#schedule());
    broadcast.follow((value) => this.#read(value));
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer) this.clock.clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#stopped || this.#timer) return;
    this.#timer = this.clock.setTimeout(() => this.#publish(), EVERY_MS);
  }

  #publish(): void {
    this.#timer = undefined;
    const { buckets } = this.limits;
    const rows = buckets
      .takeUnshared(MAX_CALLERS)
      .map(({ kind, key, calls, own = '' }): Row => [kind, key, calls, own]);
    const message: CountsMessage = { t: 'calls', from: this.id, rows };
    this.broadcast.publish(message as unknown as Json);
    if (buckets.hasUnshared) this.#schedule();
  }

  #read(value: Json): void {
    const { t, from, rows } = value as unknown as Partial<CountsMessage>;
    if (t !== 'calls' || from === this.id || !rows) return;
    for (const [kind, key, calls, own] of rows) {
      this.limits.add({ kind, key, calls, own: own === '' ? undefined : own });
    }
  }
}
