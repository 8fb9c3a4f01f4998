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
const USABLE_REQUEST_ID_PATTERN = /^[A-Za-z0-9_.:-]{8,64}$/;

export class RequestMetrics {
  readonly metricsRegistry: MetricsRegistry;
  readonly #unroutedAnswersByStatus = new Map<number, MetricCounterSeries>();
  readonly #pollSecondsHistogram: MetricHistogramSeries;
  readonly #abortedRequestsCounter: MetricCounterSeries;
  /** Counters of requests refused because of overload: too many requests, waiting polls or uploads. */
  readonly overloadCounters: {
    readonly requests: MetricCounterSeries;
    readonly polls: MetricCounterSeries;
    readonly uploads: MetricCounterSeries;
  };
  readonly #requestIdPrefix: string;
  #lastRequestNumber = 0;

  constructor(
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly options: FrontendOptions,
  ) {
    this.metricsRegistry = options.metrics ?? new MetricsRegistry();
    this.#requestIdPrefix = `${options.requestIdPrefix}-`;
    this.#pollSecondsHistogram = this.metricsRegistry.findOrCreateHistogram('conclave_http_poll_seconds');
    const overload = (what: string): MetricCounterSeries =>
      this.metricsRegistry.findOrCreateCounter('conclave_http_overload_total', what);
    this.overloadCounters = { requests: overload('requests'), polls: overload('polls'), uploads: overload('uploads') };
    this.#abortedRequestsCounter = this.metricsRegistry.findOrCreateCounter('conclave_http_aborted_requests_total');
  }

  /** Gives the request an id: the value of its header X-Request-Id, or a new id. */
  assignRequestId(exchange: HttpExchange): void {
    const proposed = exchange.header('x-request-id');
    const usable = proposed !== '' && USABLE_REQUEST_ID_PATTERN.test(proposed);
    if (usable) exchange.setRequestId(proposed);
    else exchange.setRequestId(this.#requestIdPrefix, ++this.#lastRequestNumber);
  }

  /** Counts the answer to a request that reached no operation. */
  recordAnswerWithoutOperation(exchange: HttpExchange, status: number): void {
    this.#countAnswer(this.#unroutedAnswersByStatus, 'none', status);
    if (this.options.logRequests) {
      this.log.debug({ requestId: exchange.requestId, operation: 'none', status }, 'answered');
    }
  }

  /** Counts, measures and logs the answer to a request. @param now monotonic ms */
  recordAnswer(
    { exchange, routedOperation, isPoll, since }: InboundRequest,
    status: number,
    now = this.clock.monotonic(),
  ): void {
    const ms = now - since;
    if (routedOperation) {
      const { operation, metrics } = routedOperation;
      this.#countAnswer(metrics.answers, operation.id, status);
      if (isPoll) this.#pollSecondsHistogram.observe(ms / 1000);
      else {
        metrics.seconds ??= this.metricsRegistry.findOrCreateHistogram('conclave_http_request_seconds', operation.id);
        metrics.seconds.observe(ms / 1000);
      }
    } else this.#countAnswer(this.#unroutedAnswersByStatus, 'none', status);
    if (status < 500 && !this.options.logRequests) return;
    const line = {
      requestId: exchange.requestId,
      operation: routedOperation?.operation.id ?? 'none',
      status,
      ms: Math.round(ms * 10) / 10,
    };
    if (status >= 500) this.log.info(line, 'request failed');
    else this.log.debug(line, 'answered');
  }

  countAbortedRequest(): void {
    this.#abortedRequestsCounter.n++;
  }

  #countAnswer(answers: Map<number, MetricCounterSeries>, operation: string, status: number): void {
    let count = answers.get(status);
    if (!count) {
      count = this.metricsRegistry.findOrCreateCounter('conclave_http_requests_total', operation, String(status));
      answers.set(status, count);
    }
    count.n++;
  }
}
