/** What a host counts: series found once per kind of actor, so that counting is an increment. */
import type { Count, Distribution, Metrics } from '#base/metrics';
import type { RetryReason, StopReason } from '#model';

export class KindMeter {
  readonly loads: Count;
  readonly commands: Count;
  readonly commitSeconds: Distribution;
  readonly commitCommands: Distribution;

  constructor(
    private readonly metrics: Metrics,
    private readonly kind: string,
  ) {
    this.loads = metrics.counter('conclave_actor_loads_total', kind);
    this.commands = metrics.counter('conclave_commands_total', kind);
    this.commitSeconds = metrics.histogram('conclave_commit_seconds', kind);
    this.commitCommands = metrics.histogram('conclave_commit_commands', kind);
  }

  stopped(reason: StopReason): void {
    this.metrics.count('conclave_actor_stops_total', this.kind, reason);
  }
}

const RETRY_REASONS: readonly RetryReason[] = ['not-owner', 'moved', 'busy', 'unavailable', 'early'];

/** Shown from the start, so that the first one is seen as a change. */
const QUEUE_ENDS = ['deleted', 'idle', 'overflow', 'trimmed', 'incarnation', 'deactivated', 'crowded'];

export class Meters {
  readonly #kinds = new Map<string, KindMeter>();
  readonly #refused: ReadonlyMap<RetryReason, Count>;

  constructor(readonly metrics: Metrics) {
    for (const why of QUEUE_ENDS) metrics.counter('conclave_queue_ends_total', why);
    this.#refused = new Map(
      RETRY_REASONS.map((reason) => [reason, metrics.counter('conclave_commands_refused_total', reason)]),
    );
  }

  of(kind: string): KindMeter {
    const known = this.#kinds.get(kind);
    if (known) return known;
    const meter = new KindMeter(this.metrics, kind);
    this.#kinds.set(kind, meter);
    return meter;
  }

  took(partitions: number, ms: number): void {
    this.metrics.counter('conclave_partitions_taken_total').n += partitions;
    this.metrics.histogram('conclave_partition_take_seconds').observe(ms / 1000);
  }

  lost(partitions: number, reason: 'released' | 'lapsed', ms: number): void {
    this.metrics.counter('conclave_partitions_lost_total', reason).n += partitions;
    if (reason === 'released') this.metrics.histogram('conclave_partition_release_seconds').observe(ms / 1000);
  }

  /** An event queue ended for good. */
  ended(why: string): void {
    this.metrics.count('conclave_queue_ends_total', why);
  }

  refused(reason: RetryReason): void {
    this.#refused.get(reason)!.n++;
  }
}
