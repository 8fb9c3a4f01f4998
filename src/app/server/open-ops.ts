/** The listener for operators. Not the native server: a scrape may be large and is seldom, and nothing of it is fast. */
import type { Config } from '#app/config';
import { answerPage, type Health, noPage, opsPages } from '#app/ops';
import type { Metrics } from '#base/metrics';
import { chooseFactory, type HttpServer } from '#frontend/http';

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
