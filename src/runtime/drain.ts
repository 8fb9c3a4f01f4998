/** Handing partitions over: what was begun is finished first. */
import type { Clock, TimerHandle } from '#base/clock';
import type { Partition } from '#model';
import type { Activation } from './activation.js';

export interface Handover {
  readonly all: readonly Partition[];
  activations(of: readonly Partition[]): Activation[];
  /** From now on only what other actors send or wait for is taken. */
  leave(): void;
  /** Partitions that are still to be handed over: some may have been taken again. */
  left(): readonly Partition[];
}

/**
 * Commands of actors, and what they ask, are taken to the end: those that drain may wait for each other, or for actors elsewhere that ask
 * them (a realm's subscription waits behind a stream's sends, which wait for message ids of that very realm). Bounded, because what is left in an
 * outbox is not lost: the next owner goes on with it.
 */
export async function drain(
  clock: Clock,
  withinMs: number,
  { all, activations, leave, left }: Handover,
): Promise<void> {
  let timer: TimerHandle | undefined;
  let late = false;
  const limit = new Promise<void>((resolve) => {
    timer = clock.setTimeout(() => {
      late = true;
      resolve();
    }, withinMs);
  });
  // Live actors write down what only memory knows while commands are still taken: they send themselves one.
  await Promise.race([limit, Promise.all(activations(all).map((a) => a.flushSidecar('drained')))]);
  leave();
  while (!late) {
    const waiting = activations(left());
    if (waiting.length === 0) break;
    for (const a of waiting) a.takeOnlyActors();
    await Promise.race([limit, Promise.all(waiting.map((a) => a.drain()))]);
    // None may go while another could still need it.
    if (late || !waiting.every((a) => a.status === 'stopped' || a.isDrained)) continue;
    await Promise.race([limit, Promise.all(waiting.map((a) => a.passivate('drained')))]);
  }
  if (timer) clock.clearTimeout(timer);
}
