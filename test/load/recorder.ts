/** Recorder of a worker: collects counts, latencies and errors between two reports. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { now } from './clock.js';
import { type Histogram, makeHistogram, recordLatency, toSparse } from './histograms.js';
import {
  type Interval,
  OPERATIONS,
  type Operation,
  type QueueEnd,
  type QueueStart,
  type SentMessage,
} from './protocol.js';

/** Counts and latencies of one operation. */
interface OperationRecord {
  count: number;
  errors: number;
  readonly intended: Histogram;
  readonly service: Histogram;
}

const MAX_SAMPLE_LENGTH = 300;

export class Recorder {
  requests = 0;
  polls = 0;
  events = 0;
  lostQueues = 0;
  readonly #operations = new Map<Operation, OperationRecord>();
  readonly #deliveries = makeHistogram();
  readonly #lag = makeHistogram();
  readonly #errors = new Map<string, { count: number; readonly sample: string }>();
  #limited = 0;
  #sent: SentMessage[] = [];
  #delivered = new Map<string, number>();
  #queueChanges: (QueueStart | QueueEnd)[] = [];
  #since = now();
  #cpu = process.cpuUsage();
  readonly #loop = monitorEventLoopDelay({ resolution: 10 });

  constructor(private readonly worker: number) {
    this.#loop.enable();
  }

  /** Records the latency of a response or a timeout. */
  recordResponse(operation: Operation, intended: number, written: number, at: number): void {
    const operationRecord = this.#recordOf(operation);
    operationRecord.count++;
    recordLatency(operationRecord.intended, at - intended);
    recordLatency(operationRecord.service, at - written);
  }

  /** @param code HTTP status and error code of the API, or the transport error */
  recordError(operation: Operation, code: string, sample: string): void {
    this.#recordOf(operation).errors++;
    const key = `${operation}|${code}`;
    const existing = this.#errors.get(key);
    if (existing) existing.count++;
    else this.#errors.set(key, { count: 1, sample: sample.slice(0, MAX_SAMPLE_LENGTH) });
  }

  countRateLimited(): void {
    this.#limited++;
  }

  recordSent(sent: SentMessage): void {
    this.#sent.push(sent);
  }

  recordDelivery(token: string, intended: number, at: number): void {
    recordLatency(this.#deliveries, at - intended);
    this.#delivered.set(token, (this.#delivered.get(token) ?? 0) + 1);
  }

  recordQueueChange(change: QueueStart | QueueEnd): void {
    this.#queueChanges.push(change);
  }

  /** Records the delay between the intended time of a task and its start. */
  recordLag(ms: number): void {
    recordLatency(this.#lag, ms);
  }

  takeInterval(present: { readonly clients: number; readonly held: number; readonly inFlight: number }): Interval {
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
          intended: toSparse(intended),
          service: toSparse(service),
        })),
      deliveries: toSparse(this.#deliveries),
      lag: toSparse(this.#lag),
      errors: [...this.#errors].map(([key, { count, sample }]) => ({ key, count, sample })),
      limited: this.#limited,
      lostQueues: this.lostQueues,
      sent: this.#sent,
      delivered: [...this.#delivered],
      queueChanges: this.#queueChanges,
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
    for (const operationRecord of this.#operations.values()) {
      if (operationRecord.count + operationRecord.errors === 0) continue;
      operationRecord.count = 0;
      operationRecord.errors = 0;
      operationRecord.intended.reset();
      operationRecord.service.reset();
    }
    this.#deliveries.reset();
    this.#lag.reset();
    this.#errors.clear();
    this.#limited = 0;
    this.#sent = [];
    this.#delivered = new Map();
    this.#queueChanges = [];
    this.#since = at;
    this.#cpu = process.cpuUsage();
    this.#loop.reset();
  }

  #recordOf(operation: Operation): OperationRecord {
    let operationRecord = this.#operations.get(operation);
    if (!operationRecord) {
      operationRecord = { count: 0, errors: 0, intended: makeHistogram(), service: makeHistogram() };
      this.#operations.set(operation, operationRecord);
    }
    return operationRecord;
  }
}
