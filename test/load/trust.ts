/** When the harness itself, not the server, may be what the figures show. */
import type { Point } from './totals.js';

/** Of one worker's core. */
const BUSY = 0.9;
const LATE_MS = 25;
const STALL_MS = 150;
const MACHINE_BUSY = 0.95;

export type Doubt = 'busy' | 'late' | 'stalled' | 'machine';

/** What speaks against the figures of this second. */
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
