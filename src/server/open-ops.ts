/** The listener for operators. Not the native server: a scrape may be large and is seldom, and nothing of it is fast. */
import type { Config } from '../config/index.js';
import { chooseFactory, type HttpServer } from '../http/index.js';
import type { Metrics } from '../metrics/index.js';
import { answerPage, type Health, noPage, opsPages } from '../ops/index.js';

/** Nobody sends anything here. */
const MOST_BODY_BYTES = 1_024;

export const addressOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** @throws when the address is taken */
export async function openOps(
  config: Config,
  health: Health,
  metrics: Metrics,
  onError: (error: unknown) => void,
): Promise<HttpServer> {
  const pages = opsPages(health, metrics);
  const { factory } = await chooseFactory('node');
  return factory.listen({
    host: config.opsHost,
    port: config.opsPort,
    maxBodyBytes: MOST_BODY_BYTES,
    handler: (exchange) => {
      if (!answerPage(pages, exchange)) noPage(exchange);
    },
    onError,
  });
}
