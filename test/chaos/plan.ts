/** Fault injection: kills of random processes, restarts of services, and cuts between one host and the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../clients/support/process.js';
import type { Random } from '../cluster/scheduler.js';
import type { Interruption } from './history.js';
import type { Member, Role } from './processes.js';
import type { OwnServices } from './services.js';

export interface Outage {
  readonly kind: 'service' | 'cut';
  readonly name: string;
  /** Start of the outage, as a share (0–1) of the length of the run. */
  readonly at: number;
  /** Executes the outage to its end. @param downtimeMs time from the kill of a service to its start, ms */
  restart(downtimeMs: number): Promise<void>;
}

export function serviceRestarts(services: OwnServices): Outage[] {
  const kind = 'service';
  const store: Outage = { kind, name: 'store', at: 0.55, restart: (ms) => services.restartStore(false, ms) };
  const database: Outage = {
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

/** Plans `count` cuts of `seconds` s, each between one random actor host and the store. */
export function storeCuts(cluster: StoreConnections, count: number, seconds: number, random: Random): Outage[] {
  return Array.from({ length: count }, (_, i) => {
    const host = random.pick(cluster.hosts);
    return {
      kind: 'cut',
      name: `the store of ${host}`,
      at: (0.4 + i) / count,
      restart: async () => {
        await cluster.cutFromStore(host);
        await sleep(seconds * 1_000);
        await cluster.restoreStore(host);
      },
    };
  });
}

/** Cluster whose actor hosts can be cut off from the store one by one. */
interface StoreConnections {
  /** Names of the actor hosts. */
  readonly hosts: readonly string[];
  cutFromStore(host: string): Promise<void>;
  restoreStore(host: string): Promise<void>;
}

/**
 * Delay from a kill to the restart of the process: 30–45 % of the time between kills. An immediate restart would
 * compete for the CPU with the processes that take over, which share the two cores of the test machine.
 */
const RESTART_DELAY = { min: 0.3, range: 0.15 };
/** Restart delay of a single server, as that of a supervisor: no other process takes over. */
const SINGLE_RESTART_DELAY_MS = 250;

/** Minimum time from the end of one fault to the next fault, as a share of the time between kills. */
const MIN_RECOVERY = 0.4;

const ROLES: readonly Role[] = ['actors', 'http'];

export interface InjectionOptions {
  /** Length of the run, s; undefined runs until all kills are done. */
  readonly seconds: number | undefined;
  readonly kills: number;
  readonly every: number;
  readonly random: Random;
  readonly interruptions: Interruption[];
  log(words: string): void;
}

interface FaultTargets {
  readonly members: readonly Member[];
  start(member: Member): Promise<Child>;
}

/** Limit of the run as a multiple of its planned length: a slow machine needs longer for each fault. */
const MAX_STRETCH = 3;

/** Kills a random member every `every` s; a planned outage that is due replaces the kill. */
export async function injectFaults(
  cluster: FaultTargets,
  services: readonly Outage[],
  options: InjectionOptions,
): Promise<void> {
  const { seconds = Number.POSITIVE_INFINITY, kills, every, random, interruptions, log } = options;
  const startedAt = performance.now();
  const elapsed = (): number => (performance.now() - startedAt) / 1000;
  const downtimeMs = (): number =>
    cluster.members.length === 1
      ? SINGLE_RESTART_DELAY_MS
      : (RESTART_DELAY.min + random.next() * RESTART_DELAY.range) * every * 1000;
  const outages = [...services].sort((a, b) => a.at - b.at);
  // More kills than fit in the time: the time ends the run. Otherwise the last kill does, within the stretched time.
  const endsAt = kills * every > seconds ? seconds : seconds * MAX_STRETCH;
  let killed = 0;
  for (let turn = 1; killed < kills || outages.length > 0; turn++) {
    // Jitter of ±25 % keeps the faults out of step with timers of the server.
    const plannedAt = (turn - 0.25 + random.next() * 0.5) * every;
    // Deliveries need time to resume after the previous fault.
    const next = turn > 1 ? Math.max(plannedAt, elapsed() + every * MIN_RECOVERY) : plannedAt;
    if (next >= endsAt) break;
    await sleep(Math.max(0, next - elapsed()) * 1000);
    const restart = outages[0];
    if (restart && elapsed() >= restart.at * seconds) {
      outages.shift();
      log(`${restart.name} goes away`);
      interruptions.push({ at: performance.now(), kind: restart.kind, name: restart.name });
      await restart.restart(downtimeMs());
      log(`${restart.name} is back`);
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
  if (options.seconds !== undefined) await sleep(Math.max(0, seconds - elapsed()) * 1000);
}

/** Picks a member to kill: the first kill hits an actor host, the second a frontend, later kills a random member. */
function pickVictim(members: readonly Member[], killed: number, random: Random): Member {
  const role = ROLES[killed];
  const among = members.filter((one) => role === undefined || one.role === role);
  return random.pick(among.length > 0 ? among : members);
}
