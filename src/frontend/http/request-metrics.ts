/** Counts, measures and logs requests, and assigns request ids. */

import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import { type MetricCounterSeries, type MetricHistogramSeries, MetricsRegistry } from '#base/metrics';
import type { InboundRequest } from './inbound-request.js';
import type { FrontendOptions } from './options.js';
import type { HttpExchange } from './server.js';

/**
 * Pattern of usable request ids: ids from proxies and clients go into logs, so only harmless characters are accepted.
 */
const USABLE_ID = /^[A-Za-z0-9_.:-]{8,64}$/;

export class RequestMetrics {
  readonly metrics: MetricsRegistry;
  readonly #unknown = new Map<number, MetricCounterSeries>();
  readonly #polls: MetricHistogramSeries;
  readonly #aborted: MetricCounterSeries;
  /** Counters of requests refused because of overload: too many requests, waiting polls or uploads. */
  readonly overload: {
    readonly requests: MetricCounterSeries;
    readonly polls: MetricCounterSeries;
    readonly uploads: MetricCounterSeries;
  };
  readonly #prefix: string;
  #requests = 0;

  constructor(
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly options: FrontendOptions,
  ) {
    this.metrics = options.metrics ?? new MetricsRegistry();
    this.#prefix = `${options.instance}-`;
    this.#polls = this.metrics.histogram('conclave_http_poll_seconds');
    const overload = (what: string): MetricCounterSeries => this.metrics.counter('conclave_http_overload_total', what);
    this.overload = { requests: overload('requests'), polls: overload('polls'), uploads: overload('uploads') };
    this.#aborted = this.metrics.counter('conclave_http_aborted_requests_total');
  }

  /** Gives the request an id: the value of its header X-Request-Id, or a new id. */
  identify(exchange: HttpExchange): void {
    const proposed = exchange.header('x-request-id');
    const usable = proposed !== '' && USABLE_ID.test(proposed);
    if (usable) exchange.identify(proposed);
    else exchange.identify(this.#prefix, ++this.#requests);
  }

  /** Counts the answer to a request that reached no operation. */
  refused(exchange: HttpExchange, status: number): void {
    this.#count(this.#unknown, 'none', status);
    if (this.options.logRequests) {
      this.log.debug({ requestId: exchange.requestId, operation: 'none', status }, 'answered');
    }
  }

  /** Counts, measures and logs the answer to a request. @param now monotonic ms */
  answered({ exchange, target, isPoll, since }: InboundRequest, status: number, now = this.clock.monotonic()): void {
    const ms = now - since;
    if (target) {
      const { operation, metrics } = target;
      this.#count(metrics.answers, operation.id, status);
      if (isPoll) this.#polls.observe(ms / 1000);
      else {
        metrics.seconds ??= this.metrics.histogram('conclave_http_request_seconds', operation.id);
        metrics.seconds.observe(ms / 1000);
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

  #count(answers: Map<number, MetricCounterSeries>, operation: string, status: number): void {
    let count = answers.get(status);
    if (!count) {
      count = this.metrics.counter('conclave_http_requests_total', operation, String(status));
      answers.set(status, count);
    }
    count.n++;
  }
}
