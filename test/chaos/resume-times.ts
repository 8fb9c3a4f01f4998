/** Times from an interruption to the first later delivery of each queue. */
import { build, type Histogram } from 'hdr-histogram-js';
import type { Interruption, Moment, RunHistory } from './history.js';

export interface Quantiles {
  readonly count: number;
  /** Quantiles in ms. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const EMPTY: Quantiles = { count: 0, p50: 0, p99: 0, max: 0 };

export function quantiles(times: Iterable<Moment>): Quantiles {
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

export interface Resume {
  readonly interruption: Interruption;
  /** Time of each queue from the interruption to its first event of a write that began after it, ms. */
  readonly times: readonly Moment[];
  /** Number of queues without such an event, which is no fault only at the end of a run. */
  readonly silent: number;
}

export function measureResumes({ writes, queues, interruptions }: RunHistory): Resume[] {
  const begun = new Map(writes.map((write) => [write.key, write.begun]));
  const given = queues.map(({ polls }) =>
    polls.flatMap((poll) =>
      poll.taken
        ? poll.events.flatMap(({ key }) => {
            const from = key === undefined ? undefined : begun.get(key);
            return from === undefined ? [] : [{ at: poll.at, from }];
          })
        : [],
    ),
  );
  return interruptions.map((interruption) => {
    const times: Moment[] = [];
    for (const events of given) {
      const first = events.slice(firstAfter(events, interruption.at)).find(({ from }) => from > interruption.at);
      if (first) times.push(first.at - interruption.at);
    }
    return { interruption, times, silent: queues.length - times.length };
  });
}

/** Finds the index of the first event after a time. */
function firstAfter(events: readonly { readonly at: Moment }[], moment: Moment): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.at <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
