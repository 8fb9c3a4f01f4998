/** A frontend behind each HTTP adapter that loads here. */
import type { ApiOperation } from '#frontend/api';
import {
  chooseHttpServerFactory,
  type FrontendOptions,
  HttpFrontend,
  type HttpListenOptions,
  type HttpServer,
} from '#frontend/http';
import { FakeServices, RawClient } from './support.js';

const node = await chooseHttpServerFactory('node');
const auto = await chooseHttpServerFactory('auto');

export const ADAPTERS: readonly ('node' | 'uws')[] = auto.factory === node.factory ? ['node'] : ['node', 'uws'];

export interface Opened {
  readonly server: HttpServer;
  readonly services: FakeServices;
  readonly frontend: HttpFrontend;
  client(): Promise<RawClient>;
}

export async function openFrontend(
  t: { teardown(fn: () => void): void },
  kind: 'node' | 'uws',
  operations: readonly ApiOperation[],
  options: Partial<FrontendOptions> = {},
  over: Partial<HttpListenOptions> = {},
): Promise<Opened> {
  const services = new FakeServices();
  const frontend = new HttpFrontend(operations, services, { requestIdPrefix: 'f', ...options });
  const { factory } = await chooseHttpServerFactory(kind);
  const server = await factory.listen({
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 100_000,
    handler: frontend.handleRequest,
    onError: (error) => {
      throw error;
    },
    ...over,
  });
  const clients: RawClient[] = [];
  t.teardown(() => {
    for (const { socket } of clients) socket.destroy();
    server.closeImmediately();
  });
  const client = async (): Promise<RawClient> => {
    const opened = await RawClient.open(server.port);
    clients.push(opened);
    return opened;
  };
  return { server, services, frontend, client };
}
