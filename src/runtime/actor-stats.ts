/** Counts the actors of a host and their work, once for each scrape of the metrics. */

import type { MetricsRegistry } from '#base/metrics';
import { type ActorKey, parseActorKey } from '#model';
import type { ActorActivation } from './activation.js';
import type { AnyActorKindDefinition } from './kind.js';

interface ActorKindStats {
  loading: number;
  ready: number;
  mailboxCommandCount: number;
  /** Number of commands in the fullest mailbox of this kind. */
  fullestMailboxSize: number;
  outboxEntryCount: number;
  /** Number of deliveries (mails, webhook calls) that wait to be made; undefined for kinds without deliveries. */
  waitingDeliveryCount: number | undefined;
  /** Number of actors by phase of their sidecar. */
  readonly actorCountBySidecarPhase: Map<string, number>;
}

/** Counts of actors and their work, by name of the actor kind. */
type ActorStatsByKind = ReadonlyMap<string, ActorKindStats>;

const makeEmptyKindStats = (): ActorKindStats => ({
  loading: 0,
  ready: 0,
  mailboxCommandCount: 0,
  fullestMailboxSize: 0,
  outboxEntryCount: 0,
  waitingDeliveryCount: undefined,
  actorCountBySidecarPhase: new Map(),
});

function countActorsByKind(activations: Iterable<ActorActivation>, names: readonly string[]): ActorStatsByKind {
  const stats = new Map(names.map((name) => [name, makeEmptyKindStats()]));
  for (const activation of activations) {
    const of = stats.get(activation.kind.name);
    if (!of || activation.status === 'stopped') continue;
    of[activation.status]++;
    of.mailboxCommandCount += activation.waitingCommandCount;
    of.fullestMailboxSize = Math.max(of.fullestMailboxSize, activation.waitingCommandCount);
    of.outboxEntryCount += activation.outboxEntryCount;
    const { waitingDeliveryCount, sidecarPhase: phase } = activation;
    if (waitingDeliveryCount !== undefined)
      of.waitingDeliveryCount = (of.waitingDeliveryCount ?? 0) + waitingDeliveryCount;
    if (phase !== undefined) of.actorCountBySidecarPhase.set(phase, (of.actorCountBySidecarPhase.get(phase) ?? 0) + 1);
  }
  return stats;
}

interface ActorStatsOptions {
  readonly metrics: MetricsRegistry;
  /** All kinds of actors; a kind appears in the metrics even while none of its actors is in memory. */
  readonly kinds: readonly AnyActorKindDefinition[];
  listActivations(): Iterable<ActorActivation>;
  /** Number of actors outside memory that wait for their due time. */
  countPassivatedActors(which: (key: ActorKey) => boolean): number;
}

export function registerActorMetrics({
  metrics,
  kinds,
  listActivations,
  countPassivatedActors,
}: ActorStatsOptions): void {
  const names = kinds.map(({ name }) => name);
  let stats = countActorsByKind([], names);
  metrics.addStepBeforeReading(() => {
    stats = countActorsByKind(listActivations(), names);
  });
  const each = (value: (of: ActorKindStats) => number) => [...stats].map(([kind, of]) => [[kind], value(of)] as const);
  metrics.addReader('conclave_actors', () =>
    [...stats].flatMap(([kind, { loading, ready }]) => [
      [[kind, 'loading'], loading] as const,
      [[kind, 'ready'], ready] as const,
    ]),
  );
  metrics.addReader('conclave_mailbox_commands', () => each((of) => of.mailboxCommandCount));
  metrics.addReader('conclave_mailbox_commands_max', () => each((of) => of.fullestMailboxSize));
  metrics.addReader('conclave_outbox_entries', () => each((of) => of.outboxEntryCount));
  metrics.addReader('conclave_waiting_deliveries', () =>
    [...stats].flatMap(([kind, { waitingDeliveryCount }]) =>
      waitingDeliveryCount === undefined ? [] : [[[kind], waitingDeliveryCount] as const],
    ),
  );
  for (const { name, sidecarMetrics } of kinds) {
    if (!sidecarMetrics) continue;
    const { gauge, names: declared, passivated } = sidecarMetrics.phases;
    metrics.addReader(gauge, () => {
      const phases = stats.get(name)?.actorCountBySidecarPhase ?? new Map<string, number>();
      const shown = new Set([...declared, passivated, ...phases.keys()]);
      const countIn = (phase: string): number =>
        phase === passivated
          ? countPassivatedActors((key) => parseActorKey(key).kind === name)
          : (phases.get(phase) ?? 0);
      return [...shown].map((phase) => [[phase], countIn(phase)] as const);
    });
  }
}
