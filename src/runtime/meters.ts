/** The counters of a host. The series of a kind are looked up once, so that counting is an increment. */
import type { CounterSeries, HistogramSeries, Metrics } from '#base/metrics';
import type { RetryReason, StopReason } from '#model';
import type { AnyActorKind, SidecarMetrics } from './kind.js';

export class ActorKindMeter {
  readonly loads: CounterSeries;
  readonly commands: CounterSeries;
  readonly commitSeconds: HistogramSeries;
  readonly commitCommands: HistogramSeries;
  readonly #kind: string;
  readonly #ends: SidecarMetrics['ends']['counter'] | undefined;

  constructor(
    private readonly metrics: Metrics,
    { name: kind, sidecarMetrics }: AnyActorKind,
  ) {
    this.#kind = kind;
    this.#ends = sidecarMetrics?.ends.counter;
    for (const reason of sidecarMetrics?.ends.reasons ?? []) metrics.counter(sidecarMetrics!.ends.counter, reason);
    this.loads = metrics.counter('conclave_actor_loads_total', kind);
    this.commands = metrics.counter('conclave_commands_total', kind);
    this.commitSeconds = metrics.histogram('conclave_commit_seconds', kind);
    this.commitCommands = metrics.histogram('conclave_commit_commands', kind);
  }

  stopped(reason: StopReason): void {
    this.metrics.count('conclave_actor_stops_total', this.#kind, reason);
  }

  /** Counts an actor that ended for good. @param why one of the end reasons of the actor's kind */
  ended(why: string): void {
    if (this.#ends) this.metrics.count(this.#ends, why);
  }
}

const RETRY_REASONS: readonly RetryReason[] = ['not-owner', 'moved', 'busy', 'unavailable', 'early'];

export class RuntimeMeters {
  readonly #kinds = new Map<string, ActorKindMeter>();
  readonly #refused: ReadonlyMap<RetryReason, CounterSeries>;

  constructor(
    private readonly metrics: Metrics,
    kinds: readonly AnyActorKind[],
  ) {
    for (const kind of kinds) this.#kinds.set(kind.name, new ActorKindMeter(metrics, kind));
    this.#refused = new Map(
      RETRY_REASONS.map((reason) => [reason, metrics.counter('conclave_commands_refused_total', reason)]),
    );
  }

  of({ name }: AnyActorKind): ActorKindMeter {
    return this.#kinds.get(name)!;
  }

  partitionsTaken(partitions: number, ms: number): void {
    this.metrics.counter('conclave_partitions_taken_total').n += partitions;
    this.metrics.histogram('conclave_partition_take_seconds').observe(ms / 1000);
  }

  partitionsLost(partitions: number, reason: 'released' | 'lapsed', ms: number): void {
    this.metrics.counter('conclave_partitions_lost_total', reason).n += partitions;
    if (reason === 'released') this.metrics.histogram('conclave_partition_release_seconds').observe(ms / 1000);
  }

  refused(reason: RetryReason): void {
    this.#refused.get(reason)!.n++;
  }
}
