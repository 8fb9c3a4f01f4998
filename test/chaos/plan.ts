/** When the services of a run are restarted, and what is killed between. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../cluster/scheduler.js';
import type { ChaosCluster } from './cluster.js';
import type { Interruption } from './history.js';
import type { Member, Role } from './processes.js';
import type { OwnServices } from './services.js';

export interface Restart {
  readonly name: string;
  /** Part of the run's length at which it goes away. */
  readonly at: number;
  /** @param awayMs how long nothing runs */
  restart(awayMs: number): Promise<void>;
}

export function restarts(services: OwnServices): Restart[] {
  const store: Restart = { name: 'store', at: 0.55, restart: (ms) => services.restartStore(false, ms) };
  const database: Restart = {
    name: 'store and its database',
    at: 0.8,
    restart: (ms) => services.restartStore(true, ms),
  };
  return [
    { name: 'NATS', at: 0.3, restart: (ms) => services.restartNats(ms) },
    store,
    ...(services.hasDatabase ? [database] : []),
  ];
}

/** A killed process is started again after a moment. */
const AWAY_MS = { least: 500, more: 1_500 };

const ROLES: readonly Role[] = ['actors', 'http'];

const moment = (random: Random): number => AWAY_MS.least + random.below(AWAY_MS.more);

export interface Happenings {
  readonly seconds: number;
  readonly kills: number | undefined;
  readonly every: number;
  readonly random: Random;
  readonly interruptions: Interruption[];
  say(words: string): void;
}

/** Kills a random member every so often; a service's restart takes the place of a kill. */
export async function disturb(
  cluster: Pick<ChaosCluster, 'start'> & { readonly members: readonly Member[] },
  services: readonly Restart[],
  happenings: Happenings,
): Promise<void> {
  const { seconds, kills = Number.POSITIVE_INFINITY, every, random, interruptions, say } = happenings;
  const begun = performance.now();
  const elapsed = (): number => (performance.now() - begun) / 1000;
  const later = [...services];
  let killed = 0;
  for (let turn = 1; ; turn++) {
    // Not in step with the server's own timers.
    const next = (turn - 0.25 + random.next() * 0.5) * every;
    if (next >= seconds) break;
    await sleep(Math.max(0, next - elapsed()) * 1000);
    const restart = later[0];
    if (restart && elapsed() >= restart.at * seconds) {
      later.shift();
      say(`${restart.name} goes away`);
      interruptions.push({ at: performance.now(), kind: 'service', name: restart.name });
      await restart.restart(moment(random));
      say(`${restart.name} is back`);
    } else if (killed < kills) {
      // Each role is met, however few kills there are.
      const role = killed < 2 ? ROLES[killed] : undefined;
      const among = cluster.members.filter((one) => role === undefined || one.role === role);
      const member = random.pick(among.length > 0 ? among : cluster.members);
      say(`kill -9 of ${member.name} (${member.child.pid})`);
      interruptions.push({ at: performance.now(), kind: 'kill', name: member.name });
      killed++;
      await member.child.kill();
      await sleep(moment(random));
      member.child = await cluster.start(member);
    }
  }
  await sleep(Math.max(0, seconds - elapsed()) * 1000);
}
