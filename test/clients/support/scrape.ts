/** Requests that operators make to a running server: health and metrics. */
import { type MetricsText, parseMetrics } from '../../support/metrics-text.js';

export interface HealthAnswer {
  readonly status: number;
  readonly body: {
    readonly status: string;
    readonly checks?: Readonly<Record<string, { readonly ok: boolean; readonly reason?: string }>>;
  };
  readonly ms: number;
}

/** Request timeout, longer than probes wait: a response must not depend on services that are unavailable. */
const SCRAPE_TIMEOUT_MS = 20_000;

export async function healthOf(address: string, which: 'live' | 'ready'): Promise<HealthAnswer> {
  const began = performance.now();
  const response = await fetch(`${address}/health/${which}`, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) });
  const body = (await response.json()) as HealthAnswer['body'];
  return { status: response.status, body, ms: performance.now() - began };
}

export async function scrape(address: string): Promise<MetricsText> {
  const response = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) });
  if (response.status !== 200) throw new Error(`/metrics: ${response.status}`);
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('text/plain; version=0.0.4')) throw new Error(`/metrics is ${type}`);
  return parseMetrics(await response.text());
}

/** Scrapes several processes and sums their samples, as a Prometheus server does. */
export async function scrapeAll(addresses: readonly string[]): Promise<Pick<MetricsText, 'sum'>> {
  const texts = await Promise.all(addresses.map(scrape));
  return { sum: (name, labels) => texts.reduce((sum, text) => sum + text.sum(name, labels), 0) };
}
