/** Doubts about figures: signs that the harness or its machine, and not the server, made latencies longer. */
import type { Point } from './totals.js';

/** Share of a worker's core above which its figures are doubted. */
const MAX_WORKER_CPU = 0.9;
/** 99th percentile of the delay of tasks above which latencies are doubted. */
const MAX_LAG_MS = 25;
/** Delay of a worker's event loop above which latencies are doubted. */
const MAX_STALL_MS = 150;
/** Busy share of the machine's cores above which all figures are doubted. */
const MAX_MACHINE_CPU = 0.95;

/** Reason to doubt figures; `DOUBT_TEXTS` explains each one. */
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
  late: `the harness started 1 % of its calls more than ${MAX_LAG_MS} ms late: this delay is part of the latencies`,
  stalled: `the event loop of a harness process was blocked for more than ${MAX_STALL_MS} ms`,
  machine: 'all cores of this machine were busy: its programs, perhaps harness and server, slowed each other down',
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
