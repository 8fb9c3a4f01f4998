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

const PUBLISH_INTERVAL_MS = 1_000;
/** Maximum of buckets in one message: some 100 KB. Further buckets go into the next message. */
const MAX_BUCKETS_PER_MESSAGE = 5_000;

/** Counted calls of one bucket in a message. `own`: rules of the account as text; '' if the configured rules apply. */
type BucketCountRow = readonly [kind: RateBucketKind, key: string, calls: number, own: string];

interface SharedCountsMessage {
  readonly t: 'calls';
  readonly from: string;
  readonly rows: readonly BucketCountRow[];
}

export class RateLimitCountSharing {
  #publishTimer: TimerHandle | undefined;
  #isPublishingStopped = false;

  /** Starts sharing counts. @param id unique id of this process */
  constructor(
    private readonly limits: BucketRateLimiter,
    private readonly clock: Clock,
    private readonly id: string,
    private readonly broadcast: FrontendBroadcast,
  ) {
    limits.buckets.setFirstUnsharedCountListener(() => this.#schedulePublishUnlessScheduled());
    broadcast.follow((value) => this.#addCountsOfMessage(value));
  }

  stopPublishing(): void {
    this.#isPublishingStopped = true;
    if (this.#publishTimer) this.clock.clearTimeout(this.#publishTimer);
  }

  #schedulePublishUnlessScheduled(): void {
    if (this.#isPublishingStopped || this.#publishTimer) return;
    this.#publishTimer = this.clock.setTimeout(() => this.#publishCounts(), PUBLISH_INTERVAL_MS);
  }

  #publishCounts(): void {
    this.#publishTimer = undefined;
    const { buckets } = this.limits;
    const rows = buckets
      .takeUnsharedCounts(MAX_BUCKETS_PER_MESSAGE)
      .map(({ kind, key, calls, ownRulesText = '' }): BucketCountRow => [kind, key, calls, ownRulesText]);
    const message: SharedCountsMessage = { t: 'calls', from: this.id, rows };
    this.broadcast.publish(message as unknown as Json);
    if (buckets.hasUnsharedCounts) this.#schedulePublishUnlessScheduled();
  }

  #addCountsOfMessage(value: Json): void {
    const { t, from, rows } = value as unknown as Partial<SharedCountsMessage>;
    if (t !== 'calls' || from === this.id || !rows) return;
    for (const [kind, key, calls, own] of rows) {
      this.limits.addCallsOfOtherProcess({ kind, key, calls, ownRulesText: own === '' ? undefined : own });
    }
  }
}
