import { type ConnectionOptions, connect, type NatsConnection } from 'nats';

/** A throw inside a callback of the client library would silently end its reading of the connection. */
export function crashOnThrow(fn: () => void): void {
  try {
    fn();
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
}

const CREDENTIALS = /^([a-z]+:\/\/)([^@/]*)@/;

/** For messages: addresses without passwords. */
export const natsName = (url: string): string =>
  url
    .split(',')
    .map((server) => server.replace(CREDENTIALS, '$1'))
    .join(',');

/** The client library takes no account from an address. The first that names one counts for all. */
export function natsServers(url: string): { servers: string[]; user?: string; pass?: string } {
  const servers = natsName(url).split(',');
  const [, , account] = url.split(',').flatMap((server) => CREDENTIALS.exec(server) ?? []);
  if (account === undefined) return { servers };
  const [user = '', ...pass] = account.split(':');
  return { servers, user: decodeURIComponent(user), pass: decodeURIComponent(pass.join(':')) };
}

/** Connection settings shared by everything that talks to NATS. */
export async function connectNats(
  url: string,
  name: string,
  options: Pick<ConnectionOptions, 'noEcho'> = {},
): Promise<NatsConnection> {
  return connect({
    ...options,
    ...natsServers(url),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    waitOnFirstConnect: false,
    timeout: 5_000,
    // Half-open connections are noticed within some six seconds.
    pingInterval: 2_000,
    maxPingOut: 2,
  });
}

/** Calls back when the connection is lost and when it is back, until it is closed for good. */
export function watchConnection(connection: NatsConnection, down: () => void, up: () => void): void {
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') crashOnThrow(down);
      else if (status.type === 'reconnect') crashOnThrow(up);
    }
  })();
}
