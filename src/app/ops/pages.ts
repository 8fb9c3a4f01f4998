/** Serves /health/live, /health/ready and /metrics over HTTP. The pages contain no secrets and need no credentials. */
import { METRICS_CONTENT_TYPE, type MetricsRegistry, renderMetricsForScrape } from '#base/metrics';
import { type HttpExchange, ResponseHeaders } from '#frontend/http';
import type { HealthMonitor } from './health.js';

const headersOf = (type: string): ResponseHeaders =>
  new ResponseHeaders([
    ['Content-Type', type],
    ['Cache-Control', 'no-store'],
  ]);
const JSON_TEXT = headersOf('application/json');
const METRICS_TEXT = headersOf(METRICS_CONTENT_TYPE);
const PLAIN = headersOf('text/plain; charset=utf-8');

type Answer = (exchange: HttpExchange) => void;

const respondJson = (exchange: HttpExchange, status: number, value: object): void =>
  exchange.respond(status, JSON_TEXT, [`${JSON.stringify(value)}\n`]);

/** Page /health/live: an answer of any kind shows that the event loop runs. */
const live: Answer = (exchange) => respondJson(exchange, 200, { status: 'live' });

const readyPage =
  (health: HealthMonitor): Answer =>
  (exchange) =>
    void health.readiness().then(({ ready, checks }) => {
      respondJson(exchange, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', checks });
    });

const metricsPage =
  (metrics: MetricsRegistry): Answer =>
  (exchange) =>
    void renderMetricsForScrape(metrics).then(
      (text) => exchange.respond(200, METRICS_TEXT, [text]),
      () => exchange.respond(500, PLAIN, ['Gathering the metrics failed\n']),
    );

type Pages = ReadonlyMap<string, Answer>;

/** Makes the pages of the listener that clients use. */
export const createHealthPages = (health: HealthMonitor): Pages =>
  new Map([
    ['/health/live', live],
    ['/health/ready', readyPage(health)],
  ]);

/** Makes the pages of the operators' listener. Metrics show how busy an organization is, so clients can't read them. */
export const createOpsPages = (health: HealthMonitor, metrics: MetricsRegistry): Pages =>
  new Map([...createHealthPages(health), ['/metrics', metricsPage(metrics)]]);

/** Answers a request for one of the pages. @returns false when there is no such page */
export function serveOpsPage(pages: Pages, exchange: HttpExchange): boolean {
  const page = pages.get(exchange.path);
  if (!page || (exchange.method !== 'GET' && exchange.method !== 'HEAD')) return false;
  page(exchange);
  return true;
}

export const respondNotFound = (exchange: HttpExchange): void => exchange.respond(404, PLAIN, ['Not Found\n']);
