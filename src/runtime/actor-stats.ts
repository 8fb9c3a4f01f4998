/** Counts the actors of a host and their work, once for each scrape of the metrics. */

import type { MetricsRegistry } from '#base/metrics';
import { type ActorKey, parseActorKey } from '#model';
import type { ActorActivation } from './activation.js';
import type { AnyActorKindDefinition } from './kind.js';

interface KindStats {
  loading: number;
  ready: number;
  commands: number;
  /** Number of commands in the fullest mailbox of this kind. */
  fullest: number;
  outbox: number;
  /** Number of deliveries (mails, webhook calls) that wait to be made; undefined for kinds without deliveries. */
  waiting: number | undefined;
  /** Number of actors by phase of their sidecar. */
  readonly phases: Map<string, number>;
}

/** Counts of actors and their work, by name of the actor kind. */
type ActorStats = ReadonlyMap<string, KindStats>;

const noActors = (): KindStats => ({
  loading: 0,
  ready: 0,
  commands: 0,
  fullest: 0,
  outbox: 0,
  waiting: undefined,
  phases: new Map(),
});

function count(activations: Iterable<ActorActivation>, names: readonly string[]): ActorStats {
  const stats = new Map(names.map((name) => [name, noActors()]));
  for (const activation of activations) {
    const of = stats.get(activation.kind.name);
    if (!of || activation.status === 'stopped') continue;
    of[activation.status]++;
    of.commands += activation.mailboxSize;
    of.fullest = Math.max(of.fullest, activation.mailboxSize);
    of.outbox += activation.outboxSize;
    const { waitingDeliveries: waiting, sidecarPhase: phase } = activation;
    if (waiting !== undefined) of.waiting = (of.waiting ?? 0) + waiting;
    if (phase !== undefined) of.phases.set(phase, (of.phases.get(phase) ?? 0) + 1);
  }
  return stats;
}

interface ActorStatsOptions {
  readonly metrics: MetricsRegistry;
  /** All kinds of actors; a kind appears in the metrics even while none of its actors is in memory. */
  readonly kinds: readonly AnyActorKindDefinition[];
  activations(): Iterable<ActorActivation>;
  /** Number of actors outside memory that wait for their due time. */
  countPassivated(which: (key: ActorKey) => boolean): number;
}

export function registerActorMetrics({ metrics, kinds, activations, countPassivated }: ActorStatsOptions): void {
  const names = kinds.map(({ name }) => name);
  let stats = count([], names);
  metrics.beforeReading(() => {
    stats = count(activations(), names);
  });
  const each = (value: (of: KindStats) => number) => [...stats].map(([kind, of]) => [[kind], value(of)] as const);
  metrics.addReader('conclave_actors', () =>
    [...stats].flatMap(([kind, { loading, ready }]) => [
      [[kind, 'loading'], loading] as const,
      [[kind, 'ready'], ready] as const,
    ]),
  );
  metrics.addReader('conclave_mailbox_commands', () => each((of) => of.commands));
  metrics.addReader('conclave_mailbox_commands_max', () => each((of) => of.fullest));
  metrics.addReader('conclave_outbox_entries', () => each((of) => of.outbox));
  metrics.addReader('conclave_waiting_deliveries', () =>
    [...stats].flatMap(([kind, { waiting }]) => (waiting === undefined ? [] : [[[kind], waiting] as const])),
  );
  for (const { name, sidecarMetrics } of kinds) {
    if (!sidecarMetrics) continue;
    const { gauge, names: declared, passivated } = sidecarMetrics.phases;
    metrics.addReader(gauge, () => {
      const phases = stats.get(name)?.phases ?? new Map<string, number>();
      const shown = new Set([...declared, passivated, ...phases.keys()]);
      const countIn = (phase: string): number =>
        phase === passivated ? countPassivated((key) => parseActorKey(key).kind === name) : (phases.get(phase) ?? 0);
      return [...shown].map((phase) => [[phase], countIn(phase)] as const);
    });
  }
}
