import { type ConnectionOptions, connect, type Msg, type NatsConnection, type Subscription } from 'nats';
import { BusError } from './bus.js';

/** A throw inside a callback of the client library would silently end its reading of the connection. */
export function loudly(fn: () => void): void {
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
      if (status.type === 'disconnect') loudly(down);
      else if (status.type === 'reconnect') loudly(up);
    }
  })();
}

/**
 * The two connections of a client: one for requests and serving, one for replies and fan-out, so that a slow reader of
 * large replies can't cost the host its requests, nor the other way round. It is up when both are.
 */
export class NatsLink {
  readonly #requests: NatsConnection;
  readonly #replies: NatsConnection;
  readonly #down = new Set<NatsConnection>();
  #closed = false;

  private constructor(requests: NatsConnection, replies: NatsConnection, changed: (up: boolean) => void) {
    this.#requests = requests;
    this.#replies = replies;
    for (const connection of [requests, replies]) {
      watchConnection(
        connection,
        () => {
          const first = this.#down.size === 0;
          this.#down.add(connection);
          if (first) changed(false);
        },
        () => {
          this.#down.delete(connection);
          if (this.#down.size === 0) changed(true);
        },
      );
    }
  }

  /** Rejects with BusError 'disconnected' when the server can't be reached now. */
  static async open(url: string, name: string, changed: (up: boolean) => void): Promise<NatsLink> {
    const opened = await Promise.allSettled([connectNats(url, name), connectNats(url, `${name} replies`)]);
    const failed = opened.find((o) => o.status === 'rejected');
    if (failed) {
      for (const o of opened) if (o.status === 'fulfilled') await o.value.close();
      throw new BusError(
        'disconnected',
        `no NATS server at ${natsName(url)}: ${String(failed.reason?.message ?? failed.reason)}`,
      );
    }
    const [requests, replies] = opened.map((o) => (o as PromiseFulfilledResult<NatsConnection>).value);
    return new NatsLink(requests!, replies!, changed);
  }

  get up(): boolean {
    return !this.#closed && this.#down.size === 0 && !this.#requests.isClosed() && !this.#replies.isClosed();
  }

  publish(subject: string, data: Uint8Array, reply?: string): void {
    this.#requests.publish(subject, data, reply ? { reply } : undefined);
  }

  publishReply(subject: string, data: Uint8Array): void {
    this.#replies.publish(subject, data);
  }

  subscribe(subject: string, handler: (message: Msg) => void): Subscription {
    return subscribe(this.#requests, subject, handler);
  }

  subscribeReplies(subject: string, handler: (message: Msg) => void): Subscription {
    return subscribe(this.#replies, subject, handler);
  }

  /** Resolves when the server has processed what was sent before. */
  async flush(): Promise<void> {
    await Promise.all([this.#requests.flush(), this.#replies.flush()]);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([this.#requests.close(), this.#replies.close()]);
  }
}

function subscribe(connection: NatsConnection, subject: string, handler: (message: Msg) => void): Subscription {
  return connection.subscribe(subject, {
    callback: (error, message) => {
      loudly(() => {
        if (error) throw error;
        handler(message);
      });
    },
  });
}
