/** Time from an interruption (kill, service outage, store cut) to resumed delivery, per queue. */
import { build, type Histogram } from 'hdr-histogram-js';
import type { Interruption, RunHistory, TimestampMs } from './history.js';

export interface Quantiles {
  readonly count: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const EMPTY: Quantiles = { count: 0, p50: 0, p99: 0, max: 0 };

export function quantiles(times: Iterable<TimestampMs>): Quantiles {
  const histogram: Histogram = build({ numberOfSignificantValueDigits: 3 });
  let count = 0;
  for (const ms of times) {
    histogram.recordValue(Math.max(0, Math.round(ms)));
    count++;
  }
  if (count === 0) return EMPTY;
  return {
    count,
    p50: histogram.getValueAtPercentile(50),
    p99: histogram.getValueAtPercentile(99),
    max: histogram.maxValue,
  };
}

export interface ResumeTimes {
  readonly interruption: Interruption;
  /** Per queue: ms from the interruption to the first event of a write that started after the interruption. */
  readonly times: readonly TimestampMs[];
  /** Number of queues without such an event, which is normal only for an interruption at the end of a run. */
  readonly silent: number;
}

export function measureResumes({ writes, queues, interruptions }: RunHistory): ResumeTimes[] {
  const startedAt = new Map(writes.map((write) => [write.key, write.startedAt]));
  const given = queues.map(({ polls }) =>
    polls.flatMap((poll) =>
      poll.processed
        ? poll.events.flatMap(({ key }) => {
            const from = key === undefined ? undefined : startedAt.get(key);
            return from === undefined ? [] : [{ at: poll.at, from }];
          })
        : [],
    ),
  );
  return interruptions.map((interruption) => {
    const times: TimestampMs[] = [];
    for (const events of given) {
      const first = events.slice(firstAfter(events, interruption.at)).find(({ from }) => from > interruption.at);
      if (first) times.push(first.at - interruption.at);
    }
    return { interruption, times, silent: queues.length - times.length };
  });
}

/** @returns index of the first event delivered after `moment` */
function firstAfter(events: readonly { readonly at: TimestampMs }[], moment: TimestampMs): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.at <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
