/** Serves /health/live, /health/ready and /metrics over HTTP. The pages contain no secrets and need no credentials. */
import { METRICS_CONTENT_TYPE, type MetricsRegistry, renderMetricsForScrape } from '#base/metrics';
import { type HttpExchange, ResponseHeaders } from '#frontend/http';
import type { HealthMonitor } from './health.js';

const makeUncachedHeaders = (type: string): ResponseHeaders =>
  new ResponseHeaders([
    ['Content-Type', type],
    ['Cache-Control', 'no-store'],
  ]);
const JSON_HEADERS = makeUncachedHeaders('application/json');
const METRICS_HEADERS = makeUncachedHeaders(METRICS_CONTENT_TYPE);
const PLAIN_TEXT_HEADERS = makeUncachedHeaders('text/plain; charset=utf-8');

type OpsPageHandler = (exchange: HttpExchange) => void;

const respondJson = (exchange: HttpExchange, status: number, value: object): void =>
  exchange.respond(status, JSON_HEADERS, [`${JSON.stringify(value)}\n`]);

/** Page /health/live: an answer of any kind shows that the event loop runs. */
const respondLive: OpsPageHandler = (exchange) => respondJson(exchange, 200, { status: 'live' });

const makeReadinessPage =
  (health: HealthMonitor): OpsPageHandler =>
  (exchange) =>
    void health.readiness().then(({ ready, checks }) => {
      respondJson(exchange, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', checks });
    });

const makeMetricsPage =
  (metrics: MetricsRegistry): OpsPageHandler =>
  (exchange) =>
    void renderMetricsForScrape(metrics).then(
      (text) => exchange.respond(200, METRICS_HEADERS, [text]),
      () => exchange.respond(500, PLAIN_TEXT_HEADERS, ['Gathering the metrics failed\n']),
    );

type StatusPages = ReadonlyMap<string, OpsPageHandler>;

/** Makes the pages of the listener that clients use. */
export const createHealthPages = (health: HealthMonitor): StatusPages =>
  new Map([
    ['/health/live', respondLive],
    ['/health/ready', makeReadinessPage(health)],
  ]);

/** Makes the pages of the operators' listener. Metrics show how busy an organization is, so clients can't read them. */
export const createOpsPages = (health: HealthMonitor, metrics: MetricsRegistry): StatusPages =>
  new Map([...createHealthPages(health), ['/metrics', makeMetricsPage(metrics)]]);

/** Answers a request for one of the pages. @returns false when there is no such page */
export function serveOpsPage(pages: StatusPages, exchange: HttpExchange): boolean {
  const page = pages.get(exchange.path);
  if (!page || (exchange.method !== 'GET' && exchange.method !== 'HEAD')) return false;
  page(exchange);
  return true;
}

export const respondNotFound = (exchange: HttpExchange): void =>
  exchange.respond(404, PLAIN_TEXT_HEADERS, ['Not Found\n']);
