/** Replaces the processes of a cluster one by one, as an upgrade does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.js';
import { ChaosCluster } from './cluster.js';
import type { ClientWrite } from './history.js';
import type { ChaosOptions } from './options.js';
import { freeAddress, type Member } from './processes.js';
import type { Report } from './report.js';
import { type CleanupSteps, finishAndCheck, type Log, startRun } from './run.js';
import type { Traffic } from './traffic.js';

const MAX_REPLACEMENT_MS = 90_000;

/** Times of the replacement of one process by another. */
export interface Replacement {
  readonly name: string;
  /** Time from the start of the new process until it was ready, ms. */
  readonly startedMs: number;
  /** Time from SIGTERM to the end of the old process, ms. */
  readonly stopMs: number;
  readonly code: number | null;
  /** Slowest answer to a request during the replacement, ms. */
  readonly slowestMs: number;
}

export interface RollingResult {
  readonly report: Report;
  readonly replacements: readonly Replacement[];
  /** Number of requests, polls included, that were refused or cut off without an answer. */
  readonly failed: number;
}

async function replace(cluster: ChaosCluster, member: Member, traffic: Traffic, log: Log): Promise<Replacement> {
  const begun = performance.now();
  const { child: old, at: oldAddress, role } = member;
  if (role === 'http') member.at = await freeAddress();
  log(`${member.name}: the next process starts`);
  member.child = await cluster.start(member);
  if (role === 'http') {
    traffic.frontends.set([...cluster.frontends, oldAddress]);
    await until(`${member.name} takes requests`, () => traffic.frontends.isReady(member.at), MAX_REPLACEMENT_MS);
  }
  const ready = performance.now();
  log(`${member.name}: SIGTERM`);
  const { code } = await old.stop(MAX_REPLACEMENT_MS);
  const over = performance.now();
  traffic.frontends.set(cluster.frontends);
  const slowestMs = slowest(traffic.load.writes, begun, over);
  log(
    `${member.name}: ready after ${(ready - begun).toFixed(0)} ms, the old one ended after ${(over - ready).toFixed(0)} ms`,
  );
  return { name: member.name, startedMs: ready - begun, stopMs: over - ready, code, slowestMs };
}

/** Time of the slowest write that was under way between two times, ms. */
function slowest(writes: readonly ClientWrite[], from: number, to: number): number {
  let ms = 0;
  for (const { begun, outcome } of writes) {
    if (begun < to && outcome && outcome.at > from) ms = Math.max(ms, outcome.at - begun);
  }
  return ms;
}

export async function runRolling(options: ChaosOptions, cleanup: CleanupSteps, log: Log): Promise<RollingResult> {
  const { cluster, traffic } = await startRun({ ...options, cuts: 0 }, cleanup, log);
  if (!(cluster instanceof ChaosCluster))
    throw new Error('one process cannot take the place of another in the embedded face');
  const replacements: Replacement[] = [];
  for (const member of cluster.members) {
    await sleep(options.every * 1000);
    replacements.push(await replace(cluster, member, traffic, log));
  }
  await sleep(options.every * 1000);
  const report = await finishAndCheck(traffic, options.seed, log);
  const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  const failed = sum(report.failures.refused) + sum(report.failures.unanswered) + sum(report.polls);
  return { report, replacements, failed };
}
