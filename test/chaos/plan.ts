/** The faults of a run: kills of processes, restarts of services, and hosts that can't reach the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../clients/support/process.js';
import type { Random } from '../cluster/scheduler.js';
import type { Interruption } from './history.js';
import type { Member, Role } from './processes.js';
import type { OwnServices } from './services.js';

export interface Restart {
  readonly kind: 'service' | 'cut';
  readonly name: string;
  /** Time of the fault as a share of the length of the run, from 0 to 1. */
  readonly at: number;
  /** Stops the service and starts it again. @param downtimeMs time between stop and start */
  restart(downtimeMs: number): Promise<void>;
}

export function listServiceRestarts(services: OwnServices): Restart[] {
  const kind = 'service';
  const store: Restart = { kind, name: 'store', at: 0.55, restart: (ms) => services.restartStore(false, ms) };
  const database: Restart = {
    kind,
    name: 'store and its database',
    at: 0.8,
    restart: (ms) => services.restartStore(true, ms),
  };
  return [
    { kind, name: 'NATS', at: 0.3, restart: (ms) => services.restartNats(ms) },
    store,
    ...(services.hasDatabase ? [database] : []),
  ];
}

/** Plans cuts between single actor hosts, which the seed chooses, and the store. */
export function planStoreCuts(cluster: StoreCutTargets, count: number, seconds: number, random: Random): Restart[] {
  return Array.from({ length: count }, (_, i) => {
    const host = random.pick(cluster.hosts);
    return {
      kind: 'cut',
      name: `the store of ${host}`,
      at: (0.4 + i) / count,
      restart: async () => {
        await cluster.cutFromStore(host);
        await sleep(seconds * 1_000);
        await cluster.giveStoreBack(host);
      },
    };
  });
}

/** Actor hosts whose connection to the store can be cut. */
interface StoreCutTargets {
  /** Names of these hosts. */
  readonly hosts: readonly string[];
  cutFromStore(host: string): Promise<void>;
  giveStoreBack(host: string): Promise<void>;
}

/**
 * Time for which a killed process stays down, as a share of the time between two kills. An immediate start would
 * compete for the cores on which the other processes take over; in production these are cores of other machines.
 */
const DOWNTIME_SHARE = { least: 0.3, more: 0.15 };
/** Time for which a killed single server stays down, ms: a supervisor starts it at once, since nothing takes over. */
const SINGLE_SERVER_DOWNTIME_MS = 250;

/** Minimum time from the end of one fault to the next one, as a share of the time between two kills. */
const MIN_UPTIME_SHARE = 0.4;

const ROLES: readonly Role[] = ['actors', 'http'];

export interface FaultPlan {
  /** Length of the run, s; undefined: until all kills are done. */
  readonly seconds: number | undefined;
  readonly kills: number;
  readonly every: number;
  readonly random: Random;
  readonly interruptions: Interruption[];
  log(line: string): void;
}

interface FaultTargets {
  readonly members: readonly Member[];
  start(member: Member): Promise<Child>;
}

/** Factor by which a run may become longer, because each fault takes longer on a slow machine. */
const MAX_STRETCH = 3;

/** Kills random members at the planned times. A planned restart of a service takes the place of a kill. */
export async function injectFaults(
  cluster: FaultTargets,
  services: readonly Restart[],
  plan: FaultPlan,
): Promise<void> {
  const { seconds = Number.POSITIVE_INFINITY, kills, every, random, interruptions, log } = plan;
  const begun = performance.now();
  const elapsed = (): number => (performance.now() - begun) / 1000;
  const downtimeMs = (): number =>
    cluster.members.length === 1
      ? SINGLE_SERVER_DOWNTIME_MS
      : (DOWNTIME_SHARE.least + random.next() * DOWNTIME_SHARE.more) * every * 1000;
  const later = [...services].sort((a, b) => a.at - b.at);
  // If the number of kills is above what the run has time for, the time ends it.
  const latest = kills * every > seconds ? seconds : seconds * MAX_STRETCH;
  let killed = 0;
  for (let turn = 1; killed < kills || later.length > 0; turn++) {
    // The jitter keeps kills out of step with the server's periodic work.
    const meant = (turn - 0.25 + random.next() * 0.5) * every;
    // Deliveries must have resumed after the previous fault.
    const next = turn > 1 ? Math.max(meant, elapsed() + every * MIN_UPTIME_SHARE) : meant;
    if (next >= latest) break;
    await sleep(Math.max(0, next - elapsed()) * 1000);
    const restart = later[0];
    if (restart && elapsed() >= restart.at * seconds) {
      later.shift();
      log(`${restart.name} is stopped`);
      interruptions.push({ at: performance.now(), kind: restart.kind, name: restart.name });
      await restart.restart(downtimeMs());
      log(`${restart.name} is started again`);
    } else if (killed < kills) {
      const member = pickVictim(cluster.members, killed, random);
      log(`kill -9 of ${member.name} (${member.child.pid})`);
      interruptions.push({ at: performance.now(), kind: 'kill', name: member.name });
      killed++;
      await member.child.kill();
      await sleep(downtimeMs());
      member.child = await cluster.start(member);
    }
  }
  if (plan.seconds !== undefined) await sleep(Math.max(0, seconds - elapsed()) * 1000);
}

/** Picks the member to kill. The first kills cover each role, so that a run of two kills has both. */
function pickVictim(members: readonly Member[], killed: number, random: Random): Member {
  const role = ROLES[killed];
  const among = members.filter((one) => role === undefined || one.role === role);
  return random.pick(among.length > 0 ? among : members);
}
