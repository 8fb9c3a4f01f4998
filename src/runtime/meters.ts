/** The counters of a host. The series of a kind are looked up once, so that counting is an increment. */
import type { MetricCounterSeries, MetricHistogramSeries, MetricsRegistry } from '#base/metrics';
import type { ActivationStopReason, CommandRetryReason } from '#model';
import type { ActorSidecarMetrics, AnyActorKindDefinition } from './kind.js';

export class ActorKindMetrics {
  readonly loadCounter: MetricCounterSeries;
  readonly commandCounter: MetricCounterSeries;
  readonly commitSeconds: MetricHistogramSeries;
  readonly commandsPerCommit: MetricHistogramSeries;
  readonly #kindName: string;
  readonly #endCounterName: ActorSidecarMetrics['ends']['counter'] | undefined;

  constructor(
    private readonly metrics: MetricsRegistry,
    { name: kind, sidecarMetrics }: AnyActorKindDefinition,
  ) {
    this.#kindName = kind;
    this.#endCounterName = sidecarMetrics?.ends.counter;
    for (const reason of sidecarMetrics?.ends.reasons ?? [])
      metrics.findOrCreateCounter(sidecarMetrics!.ends.counter, reason);
    this.loadCounter = metrics.findOrCreateCounter('conclave_actor_loads_total', kind);
    this.commandCounter = metrics.findOrCreateCounter('conclave_commands_total', kind);
    this.commitSeconds = metrics.findOrCreateHistogram('conclave_commit_seconds', kind);
    this.commandsPerCommit = metrics.findOrCreateHistogram('conclave_commit_commands', kind);
  }

  countActivationStop(reason: ActivationStopReason): void {
    this.metrics.increment('conclave_actor_stops_total', this.#kindName, reason);
  }

  /** Counts an actor that ended for good. @param why one of the end reasons of the actor's kind */
  countActorEnd(why: string): void {
    if (this.#endCounterName) this.metrics.increment(this.#endCounterName, why);
  }
}

const COMMAND_RETRY_REASONS: readonly CommandRetryReason[] = ['not-owner', 'moved', 'busy', 'unavailable', 'early'];

export class ActorRuntimeMetrics {
  readonly #metricsByKind = new Map<string, ActorKindMetrics>();
  readonly #refusalCounterByReason: ReadonlyMap<CommandRetryReason, MetricCounterSeries>;

  constructor(
    private readonly metrics: MetricsRegistry,
    kinds: readonly AnyActorKindDefinition[],
  ) {
    for (const kind of kinds) this.#metricsByKind.set(kind.name, new ActorKindMetrics(metrics, kind));
    this.#refusalCounterByReason = new Map(
      COMMAND_RETRY_REASONS.map((reason) => [
        reason,
        metrics.findOrCreateCounter('conclave_commands_refused_total', reason),
      ]),
    );
  }

  forKind({ name }: AnyActorKindDefinition): ActorKindMetrics {
    return this.#metricsByKind.get(name)!;
  }

  recordPartitionsTaken(partitions: number, ms: number): void {
    this.metrics.findOrCreateCounter('conclave_partitions_taken_total').n += partitions;
    this.metrics.findOrCreateHistogram('conclave_partition_take_seconds').observe(ms / 1000);
  }

  recordPartitionsLost(partitions: number, reason: 'released' | 'lapsed', ms: number): void {
    this.metrics.findOrCreateCounter('conclave_partitions_lost_total', reason).n += partitions;
    if (reason === 'released')
      this.metrics.findOrCreateHistogram('conclave_partition_release_seconds').observe(ms / 1000);
  }

  countRefusal(reason: CommandRetryReason): void {
    this.#refusalCounterByReason.get(reason)!.n++;
  }
}
