/** When the services of a run are restarted, or lost by one host, and what is killed between. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from '../clients/support/process.js';
import type { Random } from '../cluster/scheduler.js';
import type { Interruption } from './history.js';
import type { Member, Role } from './processes.js';
import type { OwnServices } from './services.js';

export interface Restart {
  readonly kind: 'service' | 'cut';
  readonly name: string;
  /** Part of the run's length at which it goes away. */
  readonly at: number;
  /** @param awayMs how long nothing runs */
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

/** Hosts of the seed's choice that can not reach the store for a while, as the others can. */
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

/** A way to the store for each host. */
interface StoreCutTargets {
  /** Names. */
  readonly hosts: readonly string[];
  cutFromStore(host: string): Promise<void>;
  giveStoreBack(host: string): Promise<void>;
}

/**
 * A killed process is started again after a moment: parts of the time from one kill to the next. Not at once: it would
 * start on the very cores on which the others take over, as it hardly does elsewhere.
 */
const DOWNTIME_SHARE = { least: 0.3, more: 0.15 };
/** A single process is started again as soon as a supervisor would do it, ms: nothing takes over from it. */
const SINGLE_SERVER_DOWNTIME_MS = 250;

/** The same of the time, at least, from the end of one to the next. */
const MIN_UPTIME_SHARE = 0.4;

const ROLES: readonly Role[] = ['actors', 'http'];

export interface FaultPlan {
  /** Length of the run, s; undefined runs until all kills are done. */
  readonly seconds: number | undefined;
  readonly kills: number;
  readonly every: number;
  readonly random: Random;
  readonly interruptions: Interruption[];
  say(words: string): void;
}

interface FaultTargets {
  readonly members: readonly Member[];
  start(member: Member): Promise<Child>;
}

/** A slow machine takes longer over each fault: the load goes on for up to this many times its length. */
const MAX_STRETCH = 3;

/** Kills a random member every so often; a service's restart takes the place of a kill. */
export async function injectFaults(
  cluster: FaultTargets,
  services: readonly Restart[],
  plan: FaultPlan,
): Promise<void> {
  const { seconds = Number.POSITIVE_INFINITY, kills, every, random, interruptions, say } = plan;
  const begun = performance.now();
  const elapsed = (): number => (performance.now() - begun) / 1000;
  const downtimeMs = (): number =>
    cluster.members.length === 1
      ? SINGLE_SERVER_DOWNTIME_MS
      : (DOWNTIME_SHARE.least + random.next() * DOWNTIME_SHARE.more) * every * 1000;
  const later = [...services].sort((a, b) => a.at - b.at);
  // As many kills as there is time for have no other end.
  const latest = kills * every > seconds ? seconds : seconds * MAX_STRETCH;
  let killed = 0;
  for (let turn = 1; killed < kills || later.length > 0; turn++) {
    // Not in step with the server's own timers.
    const meant = (turn - 0.25 + random.next() * 0.5) * every;
    // The previous fault must be over, and deliveries must work again.
    const next = turn > 1 ? Math.max(meant, elapsed() + every * MIN_UPTIME_SHARE) : meant;
    if (next >= latest) break;
    await sleep(Math.max(0, next - elapsed()) * 1000);
    const restart = later[0];
    if (restart && elapsed() >= restart.at * seconds) {
      later.shift();
      say(`${restart.name} goes away`);
      interruptions.push({ at: performance.now(), kind: restart.kind, name: restart.name });
      await restart.restart(downtimeMs());
      say(`${restart.name} is back`);
    } else if (killed < kills) {
      const member = pickVictim(cluster.members, killed, random);
      say(`kill -9 of ${member.name} (${member.child.pid})`);
      interruptions.push({ at: performance.now(), kind: 'kill', name: member.name });
      killed++;
      await member.child.kill();
      await sleep(downtimeMs());
      member.child = await cluster.start(member);
    }
  }
  if (plan.seconds !== undefined) await sleep(Math.max(0, seconds - elapsed()) * 1000);
}

/** Each role is met, however few kills there are. */
function pickVictim(members: readonly Member[], killed: number, random: Random): Member {
  const role = ROLES[killed];
  const among = members.filter((one) => role === undefined || one.role === role);
  return random.pick(among.length > 0 ? among : members);
}
