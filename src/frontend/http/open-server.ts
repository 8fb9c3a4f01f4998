/** Opens an HTTP server, with a choice of two, and closes it. */

import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import type { HttpListenOptions, HttpServer, HttpServerFactory } from './server.js';
import { nodeHttpServerFactory } from './server-node.js';
import { loadUwsHttpServerFactory } from './server-uws.js';

type HttpServerChoice = 'auto' | 'uws' | 'node';

/**
 * Listens with the chosen adapter. 'auto': the native one where it loads, otherwise node:http, and the log says why.
 *
 * @throws Error when the address is taken, or when 'uws' is chosen and cannot be loaded
 */
export async function openHttpServer(
  choice: HttpServerChoice,
  options: HttpListenOptions,
  log: Logger,
): Promise<HttpServer> {
  const { factory, reason } = await chooseHttpServerFactory(choice);
  const server = await factory.listen(options);
  log.info({ http: server.kind, address: options.host, port: server.port, reason }, 'HTTP server listens');
  return server;
}

export async function chooseHttpServerFactory(
  choice: HttpServerChoice,
): Promise<{ factory: HttpServerFactory; reason: string }> {
  if (choice === 'node') return { factory: nodeHttpServerFactory, reason: 'configured' };
  try {
    return { factory: loadUwsHttpServerFactory(), reason: choice === 'uws' ? 'configured' : 'native module loaded' };
  } catch (error) {
    if (choice === 'uws') throw error;
    return { factory: nodeHttpServerFactory, reason: `uWebSockets.js cannot be loaded: ${(error as Error).message}` };
  }
}

/** Lets running requests end, for a limited time, and closes all connections. @param graceMs as of `closeGracefully` */
export async function closeWithinTimeLimit(
  server: HttpServer,
  clock: Clock,
  graceMs: number,
  limitMs: number,
): Promise<void> {
  const closing = server.closeGracefully(graceMs);
  const late = clock.setTimeout(() => server.closeImmediately(), limitMs);
  await closing;
  clock.clearTimeout(late);
}
