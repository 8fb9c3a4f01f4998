/** The bottleneck of a measured time: which resource of server, harness or machine was at its limit. */
import { cpus } from 'node:os';
import { doubtsOf } from './doubts.js';
import type { Point, Totals } from './totals.js';

/** Mean use of a core, or of all cores of a machine, above which the core or the machine counts as full. */
export const FULL_CORE_SHARE = 0.85;
/** Share of a full machine's cores above which the server itself is the limit. */
const SERVER_LIMIT_SHARE = 0.75;

/** @returns the mean of a value over points; NaN if a point lacks the value */
const meanOf = (points: readonly Point[], of: (point: Point) => number | null): number =>
  points.reduce((sum, point) => sum + (of(point) ?? Number.NaN), 0) / Math.max(1, points.length);

/** Cause that prevents a higher load. */
export type Limit = 'server' | 'harness' | 'machine' | 'rate limits';

/** Error codes caused by the harness's machine: too few descriptors, ports or memory for connections. */
const HARNESS_ERROR_PATTERN = /\|(EMFILE|ENFILE|EADDRNOTAVAIL|ENOBUFS|ENOMEM)$/;

/**
 * Finds the cause of a broken threshold. In case of doubt the cause is not the server, because a wrong cause would make
 * the server's capacity too low.
 *
 * @param totals sums of the same seconds
 */
export function findLimit(
  points: readonly Point[],
  { failed, limited, errors }: Pick<Totals, 'failed' | 'limited' | 'errors'>,
  cores = cpus().length,
): Limit {
  if (limited * 2 > failed) return 'rate limits';
  const harnessFailures = [...errors].reduce(
    (sum, [key, { count }]) => sum + (HARNESS_ERROR_PATTERN.test(key) ? count : 0),
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
export function limitText(points: readonly Point[], cores = cpus().length): string {
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
    ? 'not known: neither harness nor machine; the CPU of the server was not measured (--server-pid)'
    : 'no CPU: calls waited for a disk, a service, or a queue in the server';
}
