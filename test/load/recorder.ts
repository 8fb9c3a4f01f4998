/** Records what a worker does between two reports. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { now } from './clock.js';
import { record, sparse, type Times, times } from './histograms.js';
import { type Gone, type Interval, type Live, OPERATIONS, type Operation, type Sent } from './protocol.js';

interface Kept {
  count: number;
  errors: number;
  readonly intended: Times;
  readonly service: Times;
}

const MOST_SAMPLE = 300;

export class Recorder {
  requests = 0;
  polls = 0;
  events = 0;
  lostQueues = 0;
  readonly #operations = new Map<Operation, Kept>();
  readonly #deliveries = times();
  readonly #lag = times();
  readonly #errors = new Map<string, { count: number; readonly sample: string }>();
  #limited = 0;
  #sent: Sent[] = [];
  #delivered = new Map<string, number>();
  #moves: (Live | Gone)[] = [];
  #since = now();
  #cpu = process.cpuUsage();
  readonly #loop = monitorEventLoopDelay({ resolution: 10 });

  constructor(private readonly worker: number) {
    this.#loop.enable();
  }

  /** An answer, good or bad, or none in time. */
  answered(operation: Operation, intended: number, written: number, at: number): void {
    const kept = this.#of(operation);
    kept.count++;
    record(kept.intended, at - intended);
    record(kept.service, at - written);
  }

  /** @param code status and code of the API, or of the transport */
  error(operation: Operation, code: string, sample: string): void {
    this.#of(operation).errors++;
    const key = `${operation}|${code}`;
    const known = this.#errors.get(key);
    if (known) known.count++;
    else this.#errors.set(key, { count: 1, sample: sample.slice(0, MOST_SAMPLE) });
  }

  limited(): void {
    this.#limited++;
  }

  sent(sent: Sent): void {
    this.#sent.push(sent);
  }

  delivered(token: string, intended: number, at: number): void {
    record(this.#deliveries, at - intended);
    this.#delivered.set(token, (this.#delivered.get(token) ?? 0) + 1);
  }

  moved(move: Live | Gone): void {
    this.#moves.push(move);
  }

  /** How late an entry of the agenda was begun. */
  late(ms: number): void {
    record(this.#lag, ms);
  }

  take(present: { readonly clients: number; readonly held: number; readonly inFlight: number }): Interval {
    const at = now();
    const { user, system } = process.cpuUsage(this.#cpu);
    const interval: Interval = {
      kind: 'interval',
      worker: this.worker,
      ms: at - this.#since,
      ...present,
      requests: this.requests,
      polls: this.polls,
      events: this.events,
      operations: [...this.#operations]
        .filter(([, { count, errors }]) => count + errors > 0)
        .map(([operation, { count, errors, intended, service }]) => ({
          operation: OPERATIONS.indexOf(operation),
          count,
          errors,
          intended: sparse(intended),
          service: sparse(service),
        })),
      deliveries: sparse(this.#deliveries),
      lag: sparse(this.#lag),
      errors: [...this.#errors].map(([key, { count, sample }]) => ({ key, count, sample })),
      limited: this.#limited,
      lostQueues: this.lostQueues,
      sent: this.#sent,
      delivered: [...this.#delivered],
      moves: this.#moves,
      cpuMs: (user + system) / 1_000,
      rssBytes: process.memoryUsage.rss(),
      stallMs: this.#loop.max / 1e6,
    };
    this.#reset(at);
    return interval;
  }

  #reset(at: number): void {
    this.requests = 0;
    this.polls = 0;
    this.events = 0;
    this.lostQueues = 0;
    for (const kept of this.#operations.values()) {
      if (kept.count + kept.errors === 0) continue;
      kept.count = 0;
      kept.errors = 0;
      kept.intended.reset();
      kept.service.reset();
    }
    this.#deliveries.reset();
    this.#lag.reset();
    this.#errors.clear();
    this.#limited = 0;
    this.#sent = [];
    this.#delivered = new Map();
    this.#moves = [];
    this.#since = at;
    this.#cpu = process.cpuUsage();
    this.#loop.reset();
  }

  #of(operation: Operation): Kept {
    let kept = this.#operations.get(operation);
    if (!kept) {
      kept = { count: 0, errors: 0, intended: times(), service: times() };
      this.#operations.set(operation, kept);
    }
    return kept;
  }
}
