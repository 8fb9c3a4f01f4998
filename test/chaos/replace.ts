/** Replaces the processes of a cluster one by one, as an upgrade does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.js';
import { ChaosCluster } from './cluster.js';
import type { Deed } from './history.js';
import type { ChaosOptions } from './options.js';
import { freeAddress, type Member } from './processes.js';
import type { Report } from './report.js';
import { begin, type Ends, judge, type Say } from './run.js';
import type { Traffic } from './traffic.js';

const LEAVES_MS = 90_000;

/** One process that took the place of another; milliseconds. */
export interface Handover {
  readonly name: string;
  /** From the start of the new one until it was ready. */
  readonly startedMs: number;
  /** From SIGTERM to the end of the old one. */
  readonly leftMs: number;
  readonly code: number | null;
  /** The slowest answer to what was asked meanwhile. */
  readonly slowestMs: number;
}

export interface Rolled {
  readonly report: Report;
  readonly handovers: readonly Handover[];
  /** Requests that were refused, or cut off without an answer; polls among them. */
  readonly failed: number;
}

async function replace(cluster: ChaosCluster, member: Member, traffic: Traffic, say: Say): Promise<Handover> {
  const begun = performance.now();
  const { child: old, at: oldAddress, role } = member;
  if (role === 'http') member.at = await freeAddress();
  say(`${member.name}: the next one starts`);
  member.child = await cluster.start(member);
  if (role === 'http') {
    traffic.frontends.set([...cluster.frontends, oldAddress]);
    await until(`${member.name} takes requests`, () => traffic.frontends.isReady(member.at), LEAVES_MS);
  }
  const ready = performance.now();
  say(`${member.name}: SIGTERM`);
  const { code } = await old.stop(LEAVES_MS);
  const over = performance.now();
  traffic.frontends.set(cluster.frontends);
  const slowestMs = slowest(traffic.load.deeds, begun, over);
  say(
    `${member.name}: ready after ${(ready - begun).toFixed(0)} ms, the old one ended after ${(over - ready).toFixed(0)} ms`,
  );
  return { name: member.name, startedMs: ready - begun, leftMs: over - ready, code, slowestMs };
}

/** Of what was under way between the two moments. */
function slowest(deeds: readonly Deed[], from: number, to: number): number {
  let ms = 0;
  for (const { begun, outcome } of deeds) {
    if (begun < to && outcome && outcome.at > from) ms = Math.max(ms, outcome.at - begun);
  }
  return ms;
}

export async function rolling(options: ChaosOptions, ends: Ends, say: Say): Promise<Rolled> {
  const { cluster, traffic } = await begin({ ...options, cuts: 0 }, ends, say);
  if (!(cluster instanceof ChaosCluster))
    throw new Error('one process cannot take the place of another in the embedded face');
  const handovers: Handover[] = [];
  for (const member of cluster.members) {
    await sleep(options.every * 1000);
    handovers.push(await replace(cluster, member, traffic, say));
  }
  await sleep(options.every * 1000);
  const report = await judge(traffic, options.seed, say);
  const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  const failed = sum(report.failures.refused) + sum(report.failures.unanswered) + sum(report.polls);
  return { report, handovers, failed };
}
