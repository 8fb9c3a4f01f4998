/** NATS connections, shared by the bus, the event log and placement. */
import { type ConnectionOptions, connect, type NatsConnection } from 'nats';

/**
 * Runs `fn` and rethrows its error outside the current call, so that the error ends the process. A throw inside a
 * callback of the client library would silently stop its reading of the connection.
 */
export function crashOnThrow(fn: () => void): void {
  try {
    fn();
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
}

const URL_CREDENTIALS_PATTERN = /^([a-z]+:\/\/)([^@/]*)@/;

/** Returns the addresses of NATS servers without credentials, for log and error messages. */
export const formatNatsServersForLog = (url: string): string =>
  url
    .split(',')
    .map((server) => server.replace(URL_CREDENTIALS_PATTERN, '$1'))
    .join(',');

/**
 * Splits a list of server URLs for NATS's client library. The library ignores credentials in URLs, so the first
 * credentials found are used for all servers.
 */
export function parseNatsServers(url: string): { servers: string[]; user?: string; pass?: string } {
  const servers = formatNatsServersForLog(url).split(',');
  const [, , account] = url.split(',').flatMap((server) => URL_CREDENTIALS_PATTERN.exec(server) ?? []);
  if (account === undefined) return { servers };
  const [user = '', ...pass] = account.split(':');
  return { servers, user: decodeURIComponent(user), pass: decodeURIComponent(pass.join(':')) };
}

/** Connects to NATS with the settings that bus, log and placement share. */
export async function connectNats(
  url: string,
  name: string,
  options: Pick<ConnectionOptions, 'noEcho'> = {},
): Promise<NatsConnection> {
  return connect({
    ...options,
    ...parseNatsServers(url),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    waitOnFirstConnect: false,
    timeout: 5_000,
    // With this ping interval, a half-open connection is noticed within some six seconds.
    pingInterval: 2_000,
    maxPingOut: 2,
  });
}

/** Calls `down` when the connection is lost and `up` when it is back, until the connection is closed for good. */
export function watchNatsConnection(connection: NatsConnection, down: () => void, up: () => void): void {
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') crashOnThrow(down);
      else if (status.type === 'reconnect') crashOnThrow(up);
    }
  })();
}
