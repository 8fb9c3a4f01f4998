/** Progress line of a run, printed every few seconds. */

import { doubtsOf } from './doubts.js';
import type { Point } from './totals.js';

const percent = (share: number): string => `${Math.round(100 * share)} %`;
const rate = (perSecond: number): string => (perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1));
const ms = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1));

const largest = (points: readonly Point[], of: (point: Point) => number): number => Math.max(...points.map(of));

/** @param points points since the last line, one per second */
export function progressLine(points: readonly Point[]): string {
  const last = points.at(-1)!;
  const seconds = points.reduce((sum, point) => sum + point.seconds, 0);
  const mean = (of: (point: Point) => number | null): number =>
    points.reduce((sum, point) => sum + (of(point) ?? 0) * point.seconds, 0) / seconds;
  const server =
    last.serverCpu === null || last.serverMib === null
      ? ''
      : `  server ${percent(mean(({ serverCpu }) => serverCpu))} ${last.serverMib.toFixed(0)} MiB`;
  const doubts = new Set(points.flatMap(doubtsOf));
  const limited = mean((point) => point.limited) * seconds;
  return (
    `${last.at.toFixed(0).padStart(4)} s ${last.phase.padEnd(8)}  clients ${last.clients}  waiting polls ${last.held}  ` +
    `calls/s ${rate(mean(({ requests }) => requests))}  deliveries/s ${rate(mean(({ deliveries }) => deliveries))}  ` +
    `p99 ${ms(largest(points, ({ calls }) => calls.p99))} ms (deliveries ${ms(largest(points, ({ delivery }) => delivery.p99))})  ` +
    `errors ${Math.round(mean(({ errors }) => errors) * seconds)}${limited > 0 ? ` (429: ${Math.round(limited)})` : ''}` +
    `${server}  harness ${percent(mean(({ harnessCpu }) => harnessCpu))} ${last.harnessMib.toFixed(0)} MiB  ` +
    `machine ${percent(mean(({ machineCpu }) => machineCpu))}` +
    (doubts.size > 0 ? `  ! harness: ${[...doubts].join(', ')}` : '')
  );
}

export class Progress {
  #points: Point[] = [];

  constructor(
    private readonly seconds: number,
    private readonly print: (line: string) => void,
  ) {}

  addPoint(point: Point): void {
    this.#points.push(point);
    if (this.#points.length < this.seconds) return;
    this.print(progressLine(this.#points));
    this.#points = [];
  }
}
