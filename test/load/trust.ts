/** Doubts about figures that the harness or its machine may have influenced, and the resource at its limit. */
import { cpus } from 'node:os';
import type { Point, Totals } from './totals.js';

/** Share of a worker's core above which its figures are doubted. */
const MAX_WORKER_CPU = 0.9;
const MAX_LAG_MS = 25;
const MAX_STALL_MS = 150;
const MAX_MACHINE_CPU = 0.95;

export type Doubt = 'busy' | 'late' | 'stalled' | 'machine';

/** @returns the reasons to doubt the figures of this second */
export function doubtsOf({ harnessCpu, lagP99, stallMs, machineCpu }: Point): Doubt[] {
  const doubts: Doubt[] = [];
  if (harnessCpu > MAX_WORKER_CPU) doubts.push('busy');
  if (lagP99 > MAX_LAG_MS) doubts.push('late');
  if (stallMs > MAX_STALL_MS) doubts.push('stalled');
  if (machineCpu > MAX_MACHINE_CPU) doubts.push('machine');
  return doubts;
}

const DOUBT_TEXTS: Readonly<Record<Doubt, string>> = {
  busy: 'a harness process used its core fully: take more --workers, or another machine',
  late: `the harness began its calls more than ${MAX_LAG_MS} ms late (1 % of them): part of the latencies is its own`,
  stalled: `a harness process stood still for more than ${MAX_STALL_MS} ms`,
  machine: 'this machine was busy all over: what runs on it, harness and server perhaps, slowed each other down',
};

/** Share of doubtful seconds above which a run has a warning. */
const MIN_DOUBTFUL_SHARE = 0.05;

/** @returns the warnings about a whole run, in words; empty if the harness kept up */
export function warningsOf(points: readonly Point[]): string[] {
  const counts = new Map<Doubt, number>();
  for (const point of points) for (const doubt of doubtsOf(point)) counts.set(doubt, (counts.get(doubt) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > points.length * MIN_DOUBTFUL_SHARE)
    .map(([doubt, count]) => `in ${Math.round((100 * count) / points.length)} % of the seconds ${DOUBT_TEXTS[doubt]}`);
}

/** Mean share of a core, or of all cores, at which it counts as full. */
export const FULL_CORE_SHARE = 0.85;
/** Share of a full machine's cores above which the server itself is the limit. */
const SERVER_LIMIT_SHARE = 0.75;

/** @returns the mean over points; NaN if a point lacks the value */
const meanOf = (points: readonly Point[], of: (point: Point) => number | null): number =>
  points.reduce((sum, point) => sum + (of(point) ?? Number.NaN), 0) / Math.max(1, points.length);

/** Cause that prevents a higher load. */
export type Limit = 'server' | 'harness' | 'machine' | 'rate limits';

/** Error codes caused by the harness's machine: too few descriptors, ports or memory for connections. */
const HARNESS_FAILURES = /\|(EMFILE|ENFILE|EADDRNOTAVAIL|ENOBUFS|ENOMEM)$/;

/**
 * Finds the cause of a broken threshold. In doubt the cause is not the server, so that a capacity is never too low.
 *
 * @param totals sums of the same seconds
 */
export function limitedBy(
  points: readonly Point[],
  { failed, limited, errors }: Pick<Totals, 'failed' | 'limited' | 'errors'>,
  cores = cpus().length,
): Limit {
  if (limited * 2 > failed) return 'rate limits';
  const harnessFailures = [...errors].reduce(
    (sum, [key, { count }]) => sum + (HARNESS_FAILURES.test(key) ? count : 0),
    0,
  );
  if (harnessFailures * 2 > failed) return 'harness';
  if (meanOf(points, ({ harnessCpu }) => harnessCpu) > FULL_CORE_SHARE) return 'harness';
  const machine = meanOf(points, ({ machineCpu }) => machineCpu);
  if (machine > FULL_CORE_SHARE) {
    if (meanOf(points, ({ serverBusiest }) => serverBusiest) > FULL_CORE_SHARE) return 'server';
    return meanOf(points, ({ serverCpu }) => serverCpu) > SERVER_LIMIT_SHARE * cores ? 'server' : 'machine';
  }
  const doubtful = points.filter((point) => doubtsOf(point).some((doubt) => doubt !== 'machine')).length;
  return doubtful * 2 > points.length ? 'harness' : 'server';
}

/**
 * Names the exhausted resource: a server process, a worker of the harness, or the machine. A process that uses one core
 * fully can be the limit while other cores are idle.
 */
export function limitOf(points: readonly Point[], cores = cpus().length): string {
  const mean = (of: (point: Point) => number | null): number => meanOf(points, of);
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const [server, busiest] = [mean(({ serverCpu }) => serverCpu), mean(({ serverBusiest }) => serverBusiest)];
  const [harness, worker] = [mean(({ harnessCores }) => harnessCores), mean(({ harnessCpu }) => harnessCpu)];
  const machine = mean(({ machineCpu }) => machineCpu);
  const limits: string[] = [];
  if (busiest > FULL_CORE_SHARE) limits.push(`the server: its busiest process used ${percent(busiest)} of a core`);
  if (worker > FULL_CORE_SHARE)
    limits.push(`the harness: a process of it used ${percent(worker)} of a core (more --workers, or another machine)`);
  if (machine > FULL_CORE_SHARE) {
    const known = Number.isNaN(server) ? '' : `the server ${server.toFixed(2)}, `;
    const others = Math.max(0, machine * cores - (Number.isNaN(server) ? 0 : server) - harness);
    limits.push(
      `the machine: ${percent(machine)} of its ${cores} cores were busy (${known}the harness ${harness.toFixed(2)}, ` +
        `${Number.isNaN(server) ? 'the server and ' : ''}everything else, services too, ${others.toFixed(2)})`,
    );
  }
  if (limits.length > 0) return limits.join('; ');
  return Number.isNaN(server)
    ? 'not known: neither harness nor machine; the CPU of the server was not watched (--server-pid)'
    : 'no CPU: what was waited for is disk, services, or a queue in the server';
}
