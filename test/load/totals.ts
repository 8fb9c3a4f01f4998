/** Sums of the workers' reports over a time span, and the figures of one second. */
import { addSparse, type Histogram, makeHistogram, type Summary, summaryOf } from './histograms.js';
import { type Interval, OPERATIONS, type Operation } from './protocol.js';

export interface OperationTotals {
  count: number;
  errors: number;
  readonly intended: Histogram;
  readonly service: Histogram;
}

const POLL: Operation = 'GET /events';

export class Totals {
  readonly operations = new Map<Operation, OperationTotals>();
  /** Latencies of all calls except polls, from their intended times. */
  readonly calls = makeHistogram();
  readonly deliveries = makeHistogram();
  readonly lag = makeHistogram();
  readonly errors = new Map<string, { count: number; readonly sample: string }>();
  requests = 0;
  polls = 0;
  events = 0;
  limited = 0;
  lostQueues = 0;
  /** Number of acknowledged messages. */
  messages = 0;
  failed = 0;

  add(interval: Interval): void {
    for (const { operation, count, errors, intended, service } of interval.operations) {
      const name = OPERATIONS[operation]!;
      const of = this.#totalsOf(name);
      of.count += count;
      of.errors += errors;
      this.failed += errors;
      addSparse(of.intended, intended);
      addSparse(of.service, service);
      if (name !== POLL) addSparse(this.calls, intended);
    }
    addSparse(this.deliveries, interval.deliveries);
    addSparse(this.lag, interval.lag);
    for (const { key, count, sample } of interval.errors) {
      const existing = this.errors.get(key);
      if (existing) existing.count += count;
      else this.errors.set(key, { count, sample });
    }
    this.requests += interval.requests;
    this.polls += interval.polls;
    this.events += interval.events;
    this.limited += interval.limited;
    this.lostQueues += interval.lostQueues;
    this.messages += interval.sent.length;
  }

  /** Share of failed calls and polls, 0 to 1. */
  get errorShare(): number {
    return this.failed === 0 ? 0 : this.failed / Math.max(this.failed, this.requests + this.polls);
  }

  #totalsOf(name: Operation): OperationTotals {
    let of = this.operations.get(name);
    if (!of) {
      of = { count: 0, errors: 0, intended: makeHistogram(), service: makeHistogram() };
      this.operations.set(name, of);
    }
    return of;
  }
}

/** Figures of one second of a run. */
export interface Point {
  /** Seconds since the first client. */
  readonly at: number;
  readonly seconds: number;
  readonly phase: string;
  /** Number of clients with a queue. */
  readonly clients: number;
  /** Number of waiting polls. */
  readonly held: number;
  readonly inFlight: number;
  readonly requests: number;
  readonly messages: number;
  readonly deliveries: number;
  readonly errors: number;
  readonly limited: number;
  readonly calls: Summary;
  readonly delivery: Summary;
  /** CPU of all server processes, in cores; null if the processes are unknown. */
  readonly serverCpu: number | null;
  /** CPU of the busiest server process, in cores. */
  readonly serverBusiest: number | null;
  readonly serverMib: number | null;
  /** CPU of the busiest worker, in cores. */
  readonly harnessCpu: number;
  /** CPU of all workers, in cores. */
  readonly harnessCores: number;
  readonly harnessMib: number;
  /** Busy share of the machine's cores, 0 to 1. */
  readonly machineCpu: number;
  /** 99th percentile of the delay between the intended time of a task and its start, ms. */
  readonly lagP99: number;
  /** Longest delay of a worker's event loop, ms. */
  readonly stallMs: number;
}

export const pointOf = (
  totals: Totals,
  rest: Omit<Point, 'requests' | 'messages' | 'deliveries' | 'errors' | 'limited' | 'calls' | 'delivery' | 'lagP99'>,
): Point => ({
  ...rest,
  requests: totals.requests / rest.seconds,
  messages: totals.messages / rest.seconds,
  deliveries: totals.deliveries.totalCount / rest.seconds,
  errors: totals.failed / rest.seconds,
  limited: totals.limited / rest.seconds,
  calls: summaryOf(totals.calls),
  delivery: summaryOf(totals.deliveries),
  lagP99: summaryOf(totals.lag).p99,
});
