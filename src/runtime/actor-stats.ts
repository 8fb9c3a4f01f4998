/** What the actors of a host are doing, counted once per scrape. */
import type { Metrics } from '../metrics/index.js';
import type { Activation } from './activation.js';

const RESTING = 'hibernated';

interface KindStats {
  loading: number;
  ready: number;
  commands: number;
  fullest: number;
  outbox: number;
  waiting: number | undefined;
}

interface ActorStats {
  readonly kinds: ReadonlyMap<string, KindStats>;
  /** Of the live sides that have phases. */
  readonly phases: ReadonlyMap<string, number>;
}

const nobody = (): KindStats => ({ loading: 0, ready: 0, commands: 0, fullest: 0, outbox: 0, waiting: undefined });

function take(activations: Iterable<Activation>, names: readonly string[]): ActorStats {
  const kinds = new Map(names.map((name) => [name, nobody()]));
  const phases = new Map<string, number>();
  for (const activation of activations) {
    const of = kinds.get(activation.kind.name);
    if (!of || activation.status === 'stopped') continue;
    of[activation.status]++;
    of.commands += activation.mailboxSize;
    of.fullest = Math.max(of.fullest, activation.mailboxSize);
    of.outbox += activation.outboxSize;
    const { waitingDeliveries, livePhase } = activation;
    if (waitingDeliveries !== undefined) of.waiting = (of.waiting ?? 0) + waitingDeliveries;
    if (livePhase !== undefined) phases.set(livePhase, (phases.get(livePhase) ?? 0) + 1);
  }
  return { kinds, phases };
}

/**
 * @param names of the kinds of actors: those that are shown also when there is none in memory
 * @param phases of event queues, likewise
 */
export function registerActorStats(
  metrics: Metrics,
  activations: () => Iterable<Activation>,
  names: readonly string[],
  phases: readonly string[],
  /** Event queues that are not in memory. */
  resting: () => number,
): void {
  let census = take([], names);
  metrics.beforeReading(() => {
    census = take(activations(), names);
  });
  const each = (value: (of: KindStats) => number) =>
    [...census.kinds].map(([kind, of]) => [[kind], value(of)] as const);
  metrics.read('conclave_actors', () =>
    [...census.kinds].flatMap(([kind, { loading, ready }]) => [
      [[kind, 'loading'], loading] as const,
      [[kind, 'ready'], ready] as const,
    ]),
  );
  metrics.read('conclave_mailbox_commands', () => each((of) => of.commands));
  metrics.read('conclave_mailbox_commands_max', () => each((of) => of.fullest));
  metrics.read('conclave_outbox_entries', () => each((of) => of.outbox));
  metrics.read('conclave_waiting_deliveries', () =>
    [...census.kinds].flatMap(([kind, { waiting }]) => (waiting === undefined ? [] : [[[kind], waiting] as const])),
  );
  metrics.read('conclave_queues', () => {
    const shown = new Set([...phases, ...census.phases.keys()]);
    const count = (phase: string): number => (phase === RESTING ? resting() : (census.phases.get(phase) ?? 0));
    return [...shown].map((phase) => [[phase], count(phase)] as const);
  });
}
