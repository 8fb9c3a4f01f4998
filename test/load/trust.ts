/** When the harness itself, not the server, may be what the figures show; and the resource that was at its limit. */
import { cpus } from 'node:os';
import type { Point, Totals } from './totals.js';

/** Of one worker's core. */
const BUSY = 0.9;
const LATE_MS = 25;
const STALL_MS = 150;
const MACHINE_BUSY = 0.95;

export type Doubt = 'busy' | 'late' | 'stalled' | 'machine';

/** Reasons not to trust the figures of this second. */
export function doubtsOf({ harnessCpu, lagP99, stallMs, machineCpu }: Point): Doubt[] {
  const doubts: Doubt[] = [];
  if (harnessCpu > BUSY) doubts.push('busy');
  if (lagP99 > LATE_MS) doubts.push('late');
  if (stallMs > STALL_MS) doubts.push('stalled');
  if (machineCpu > MACHINE_BUSY) doubts.push('machine');
  return doubts;
}

const MEANING: Readonly<Record<Doubt, string>> = {
  busy: 'a harness process used its core fully: take more --workers, or another machine',
  late: `the harness began its calls more than ${LATE_MS} ms late (1 % of them): part of the latencies is its own`,
  stalled: `a harness process stood still for more than ${STALL_MS} ms`,
  machine: 'this machine was busy all over: what runs on it, harness and server perhaps, slowed each other down',
};

/** A few seconds of a run prove nothing. */
const SHARE = 0.05;

/** In words, for a whole run; none: the harness kept up. */
export function warningsOf(points: readonly Point[]): string[] {
  const counts = new Map<Doubt, number>();
  for (const point of points) for (const doubt of doubtsOf(point)) counts.set(doubt, (counts.get(doubt) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > points.length * SHARE)
    .map(([doubt, count]) => `in ${Math.round((100 * count) / points.length)} % of the seconds ${MEANING[doubt]}`);
}

/** Nearly all of a core, over a whole step. */
export const FULL = 0.85;
/** A server with this share of a full machine is its own limit there. */
const MOSTLY = 0.75;

/** Mean over points; NaN where one of them does not know. */
const meanOf = (points: readonly Point[], of: (point: Point) => number | null): number =>
  points.reduce((sum, point) => sum + (of(point) ?? Number.NaN), 0) / Math.max(1, points.length);

/** The side that keeps more load from being carried. */
export type Limit = 'server' | 'harness' | 'machine' | 'rate limits';

/** Codes of failures that the harness's own machine causes: no descriptors, no ports, no memory for connections. */
const OWN_FAILURES = /\|(EMFILE|ENFILE|EADDRNOTAVAIL|ENOBUFS|ENOMEM)$/;

/**
 * The side to blame where a threshold broke in these seconds. A doubt is never held against the server: a capacity that
 * is too low would pass for a fact.
 *
 * @param totals of these seconds
 */
export function limitedBy(
  points: readonly Point[],
  { failed, limited, errors }: Pick<Totals, 'failed' | 'limited' | 'errors'>,
  cores = cpus().length,
): Limit {
  if (limited * 2 > failed) return 'rate limits';
  const own = [...errors].reduce((sum, [key, { count }]) => sum + (OWN_FAILURES.test(key) ? count : 0), 0);
  if (own * 2 > failed) return 'harness';
  if (meanOf(points, ({ harnessCpu }) => harnessCpu) > FULL) return 'harness';
  const machine = meanOf(points, ({ machineCpu }) => machineCpu);
  if (machine > FULL) {
    if (meanOf(points, ({ serverBusiest }) => serverBusiest) > FULL) return 'server';
    return meanOf(points, ({ serverCpu }) => serverCpu) > MOSTLY * cores ? 'server' : 'machine';
  }
  const doubtful = points.filter((point) => doubtsOf(point).some((doubt) => doubt !== 'machine')).length;
  return doubtful * 2 > points.length ? 'harness' : 'server';
}

/**
 * The exhausted resource of these seconds, in words: a process of the server, one of the harness, or the machine. A
 * process that uses a core fully can be the limit even while other cores are idle.
 */
export function limitOf(points: readonly Point[], cores = cpus().length): string {
  const mean = (of: (point: Point) => number | null): number => meanOf(points, of);
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const [server, busiest] = [mean(({ serverCpu }) => serverCpu), mean(({ serverBusiest }) => serverBusiest)];
  const [harness, worker] = [mean(({ harnessCores }) => harnessCores), mean(({ harnessCpu }) => harnessCpu)];
  const machine = mean(({ machineCpu }) => machineCpu);
  const limits: string[] = [];
  if (busiest > FULL) limits.push(`the server: its busiest process used ${percent(busiest)} of a core`);
  if (worker > FULL)
    limits.push(`the harness: a process of it used ${percent(worker)} of a core (more --workers, or another machine)`);
  if (machine > FULL) {
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
