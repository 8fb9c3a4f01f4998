/** Chooses between the two HTTP servers. */

import type { Logger } from '#base';
import type { HttpServer, HttpServerFactory, ListenOptions } from './server.js';
import { nodeFactory } from './server-node.js';
import { loadUws } from './server-uws.js';

export type ServerChoice = 'auto' | 'uws' | 'node';

/**
 * Listens with the chosen adapter. 'auto': the native one where it loads, otherwise node:http, and the log says why.
 *
 * @throws Error when the address is taken, or when 'uws' is chosen and cannot be loaded
 */
export async function openServer(choice: ServerChoice, options: ListenOptions, log: Logger): Promise<HttpServer> {
  const { factory, reason } = await chooseFactory(choice);
  const server = await factory.listen(options);
  log.info({ http: server.kind, address: options.host, port: server.port, reason }, 'HTTP server listens');
  return server;
}

export async function chooseFactory(choice: ServerChoice): Promise<{ factory: HttpServerFactory; reason: string }> {
  if (choice === 'node') return { factory: nodeFactory, reason: 'configured' };
  try {
    return { factory: loadUws(), reason: choice === 'uws' ? 'configured' : 'native module loaded' };
  } catch (error) {
    if (choice === 'uws') throw error;
    return { factory: nodeFactory, reason: `uWebSockets.js cannot be loaded: ${(error as Error).message}` };
  }
}
