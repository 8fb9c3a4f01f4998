/** Rolling restart: replaces the processes of a cluster one by one, as an upgrade does. */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.js';
import { ChaosCluster } from './cluster.js';
import type { Write } from './history.js';
import type { ChaosOptions } from './options.js';
import { freeAddress, type Member } from './processes.js';
import type { Report } from './report.js';
import { type Cleanup, judge, type LogProgress, startRun } from './run.js';
import type { Traffic } from './traffic.js';

const HANDOVER_TIMEOUT_MS = 90_000;

/** Replacement of one process by a new one. */
export interface Handover {
  readonly name: string;
  /** Time from the start of the new process to its readiness, ms. */
  readonly startedMs: number;
  /** Time from SIGTERM to the exit of the old process, ms. */
  readonly leftMs: number;
  readonly code: number | null;
  /** Slowest response to a write that was in flight during the handover, ms. */
  readonly slowestMs: number;
}

export interface RollingResult {
  readonly report: Report;
  readonly handovers: readonly Handover[];
  /** Number of requests, polls included, that were refused or got no response. */
  readonly failed: number;
}

async function replace(cluster: ChaosCluster, member: Member, traffic: Traffic, log: LogProgress): Promise<Handover> {
  const startedAt = performance.now();
  const { child: old, address: oldAddress, role } = member;
  if (role === 'http') member.address = await freeAddress();
  log(`${member.name}: the next one starts`);
  member.child = await cluster.start(member);
  if (role === 'http') {
    traffic.frontends.set([...cluster.frontends, oldAddress]);
    await until(`${member.name} takes requests`, () => traffic.frontends.isReady(member.address), HANDOVER_TIMEOUT_MS);
  }
  const ready = performance.now();
  log(`${member.name}: SIGTERM`);
  const { code } = await old.stop(HANDOVER_TIMEOUT_MS);
  const over = performance.now();
  traffic.frontends.set(cluster.frontends);
  const slowestMs = slowest(traffic.load.writes, startedAt, over);
  log(
    `${member.name}: ready in ${(ready - startedAt).toFixed(0)} ms, old one ended in ${(over - ready).toFixed(0)} ms`,
  );
  return { name: member.name, startedMs: ready - startedAt, leftMs: over - ready, code, slowestMs };
}

/** @returns longest response time of the writes in flight between `from` and `to`, ms */
function slowest(writes: readonly Write[], from: number, to: number): number {
  let ms = 0;
  for (const { startedAt, outcome } of writes) {
    if (startedAt < to && outcome && outcome.at > from) ms = Math.max(ms, outcome.at - startedAt);
  }
  return ms;
}

export async function runRolling(options: ChaosOptions, cleanup: Cleanup, log: LogProgress): Promise<RollingResult> {
  const { cluster, traffic } = await startRun({ ...options, cuts: 0 }, cleanup, log);
  if (!(cluster instanceof ChaosCluster))
    throw new Error('one process cannot take the place of another in the embedded face');
  const handovers: Handover[] = [];
  for (const member of cluster.members) {
    await sleep(options.every * 1000);
    handovers.push(await replace(cluster, member, traffic, log));
  }
  await sleep(options.every * 1000);
  const report = await judge(traffic, options.seed, log);
  const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  const failed = sum(report.failures.refused) + sum(report.failures.unanswered) + sum(report.polls);
  return { report, handovers, failed };
}
