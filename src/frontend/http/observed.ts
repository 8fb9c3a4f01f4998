/** What is counted and logged of requests, and the id under which one is found again. */
import type { Clock } from '#base/clock';
import { type Count, type Distribution, Metrics } from '#base/metrics';
import type { Arrival } from './arrival.js';
import type { FrontendOptions } from './options.js';
import type { HttpExchange } from './server.js';
import type { Log } from './services.js';

/** Ids given by proxies and clients get into logs, so only what can do no harm there is taken over. */
const USABLE_ID = /^[A-Za-z0-9_.:-]{8,64}$/;

/** Series of one operation, found once; what was never called has none. */
export interface OperationSeries {
  readonly answers: Map<number, Count>;
  seconds: Distribution | undefined;
}

export const noSeries = (): OperationSeries => ({ answers: new Map(), seconds: undefined });

export class Observed {
  readonly metrics: Metrics;
  readonly #unknown = new Map<number, Count>();
  readonly #polls: Distribution;
  readonly #aborted: Count;
  /** What there was too much of. */
  readonly overload: { readonly requests: Count; readonly polls: Count; readonly uploads: Count };
  readonly #prefix: string;
  #requests = 0;

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly options: FrontendOptions,
  ) {
    this.metrics = options.metrics ?? new Metrics();
    this.#prefix = `${options.instance}-`;
    this.#polls = this.metrics.histogram('conclave_http_poll_seconds');
    const overload = (what: string): Count => this.metrics.counter('conclave_http_overload_total', what);
    this.overload = { requests: overload('requests'), polls: overload('polls'), uploads: overload('uploads') };
    this.#aborted = this.metrics.counter('conclave_http_aborted_requests_total');
  }

  /** Gives the request its id: the one it came with, or a new one. */
  identify(exchange: HttpExchange): void {
    const given = exchange.header('x-request-id');
    const usable = given !== '' && USABLE_ID.test(given);
    if (usable) exchange.identify(given);
    else exchange.identify(this.#prefix, ++this.#requests);
  }

  /** An answer to a request that is for no operation. */
  refused(exchange: HttpExchange, status: number): void {
    this.#count(this.#unknown, 'none', status);
    if (this.options.logRequests) {
      this.log.debug({ requestId: exchange.requestId, operation: 'none', status }, 'answered');
    }
  }

  answered({ exchange, target, polls, since }: Arrival, status: number, now = this.clock.monotonic()): void {
    const ms = now - since;
    if (target) {
      const { operation, series } = target;
      this.#count(series.answers, operation.id, status);
      if (polls) this.#polls.observe(ms / 1000);
      else {
        series.seconds ??= this.metrics.histogram('conclave_http_request_seconds', operation.id);
        series.seconds.observe(ms / 1000);
      }
    } else this.#count(this.#unknown, 'none', status);
    if (status < 500 && !this.options.logRequests) return;
    const line = {
      requestId: exchange.requestId,
      operation: target?.operation.id ?? 'none',
      status,
      ms: Math.round(ms * 10) / 10,
    };
    if (status >= 500) this.log.info(line, 'request failed');
    else this.log.debug(line, 'answered');
  }

  aborted(): void {
    this.#aborted.n++;
  }

  #count(answers: Map<number, Count>, operation: string, status: number): void {
    let count = answers.get(status);
    if (!count) {
      count = this.metrics.counter('conclave_http_requests_total', operation, String(status));
      answers.set(status, count);
    }
    count.n++;
  }
}
