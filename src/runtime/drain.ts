/** Drains partitions before their hand-over: commands that have begun are finished first. */
import type { Clock, TimerHandle } from '#base/clock';
import type { Partition } from '#model';
import type { ActorActivation } from './activation.js';

interface PartitionDrainOptions {
  readonly partitions: readonly Partition[];
  findActivations(of: readonly Partition[]): ActorActivation[];
  /** Makes the host take only commands that other actors send or wait for, from now on. */
  acceptOnlyActorCommands(): void;
  /** Returns the partitions that are still to be handed over: this host may have taken some of them back. */
  remainingPartitions(): readonly Partition[];
}

/**
 * Drains the activations of the partitions. Commands and requests of actors are accepted to the end, because draining
 * actors may wait for each other, or for actors on other hosts that send them requests: a realm's subscription waits
 * behind a stream's sends, which wait for message ids of that very realm. The drain is limited in time, because an
 * outbox is not lost: the next owner continues it.
 */
export async function drainPartitions(
  clock: Clock,
  withinMs: number,
  { partitions, findActivations, acceptOnlyActorCommands, remainingPartitions }: PartitionDrainOptions,
): Promise<void> {
  let timer: TimerHandle | undefined;
  let late = false;
  const limit = new Promise<void>((resolve) => {
    timer = clock.setTimeout(() => {
      late = true;
      resolve();
    }, withinMs);
  });
  // Flush the sidecars while commands are still accepted: a sidecar stores its state by a command to its actor.
  await Promise.race([limit, Promise.all(findActivations(partitions).map((a) => a.flushSidecar('drained')))]);
  acceptOnlyActorCommands();
  while (!late) {
    const waiting = findActivations(remainingPartitions());
    if (waiting.length === 0) break;
    for (const a of waiting) a.acceptOnlyActorCommands();
    await Promise.race([limit, Promise.all(waiting.map((a) => a.waitUntilDrained()))]);
    // No activation may leave memory while another one could still need it.
    if (late || !waiting.every((a) => a.status === 'stopped' || a.isDrained)) continue;
    await Promise.race([limit, Promise.all(waiting.map((a) => a.passivate('drained')))]);
  }
  if (timer) clock.clearTimeout(timer);
}
