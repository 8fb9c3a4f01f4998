/** The counters of a host. The series of a kind are looked up once, so that counting is an increment. */
import type { MetricCounterSeries, MetricHistogramSeries, MetricsRegistry } from '#base/metrics';
import type { ActivationStopReason, CommandRetryReason } from '#model';
import type { ActorSidecarMetrics, AnyActorKindDefinition } from './kind.js';

export class ActorKindMetrics {
  readonly loads: MetricCounterSeries;
  readonly commands: MetricCounterSeries;
  readonly commitSeconds: MetricHistogramSeries;
  readonly commitCommands: MetricHistogramSeries;
  readonly #kind: string;
  readonly #ends: ActorSidecarMetrics['ends']['counter'] | undefined;

  constructor(
    private readonly metrics: MetricsRegistry,
    { name: kind, sidecarMetrics }: AnyActorKindDefinition,
  ) {
    this.#kind = kind;
    this.#ends = sidecarMetrics?.ends.counter;
    for (const reason of sidecarMetrics?.ends.reasons ?? []) metrics.counter(sidecarMetrics!.ends.counter, reason);
    this.loads = metrics.counter('conclave_actor_loads_total', kind);
    this.commands = metrics.counter('conclave_commands_total', kind);
    this.commitSeconds = metrics.histogram('conclave_commit_seconds', kind);
    this.commitCommands = metrics.histogram('conclave_commit_commands', kind);
  }

  stopped(reason: ActivationStopReason): void {
    this.metrics.increment('conclave_actor_stops_total', this.#kind, reason);
  }

  /** Counts an actor that ended for good. @param why one of the end reasons of the actor's kind */
  ended(why: string): void {
    if (this.#ends) this.metrics.increment(this.#ends, why);
  }
}

const RETRY_REASONS: readonly CommandRetryReason[] = ['not-owner', 'moved', 'busy', 'unavailable', 'early'];

export class ActorRuntimeMetrics {
  readonly #kinds = new Map<string, ActorKindMetrics>();
  readonly #refused: ReadonlyMap<CommandRetryReason, MetricCounterSeries>;

  constructor(
    private readonly metrics: MetricsRegistry,
    kinds: readonly AnyActorKindDefinition[],
  ) {
    for (const kind of kinds) this.#kinds.set(kind.name, new ActorKindMetrics(metrics, kind));
    this.#refused = new Map(
      RETRY_REASONS.map((reason) => [reason, metrics.counter('conclave_commands_refused_total', reason)]),
    );
  }

  of({ name }: AnyActorKindDefinition): ActorKindMetrics {
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

  refused(reason: CommandRetryReason): void {
    this.#refused.get(reason)!.n++;
  }
}
