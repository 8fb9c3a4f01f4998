/**
 * Presence of frontends of a cluster on the bus, for commands that must run alone. Frontends have no placement key: a
 * host is seen by its heartbeats, a frontend by its answer.
 */
import type { Clock } from '#base/clock';
import { type Bus, BusError, type BusServerHandle } from '#ports/bus';
import { openClusterBus } from './ports-cluster.js';

/** All frontends of a cluster answer requests on this subject, with their names. */
const FRONTEND_PRESENCE_SUBJECT = 'frontend-presence';
const MAX_WAIT_FOR_FRONTEND_MS = 2_000;

/** Answers on the bus until the bus is closed. @param name name of the process for operators */
export const answerAsFrontend = (bus: Bus, name: string): Promise<BusServerHandle> =>
  bus.serve(FRONTEND_PRESENCE_SUBJECT, (request) => request.reply(name));

/**
 * Name of a frontend of the cluster that runs; undefined: none answers. A frontend of an earlier version does not
 * answer.
 */
export async function findRunningFrontend(nats: string, namespace: string, clock: Clock): Promise<string | undefined> {
  const { bus, close } = await openClusterBus(nats, namespace, clock);
  try {
    return String(await bus.request(FRONTEND_PRESENCE_SUBJECT, {}, MAX_WAIT_FOR_FRONTEND_MS).reply);
  } catch (error) {
    if (error instanceof BusError && error.failure === 'nobody') return undefined;
    throw error;
  } finally {
    await close();
  }
}
