import type { Msg, NatsConnection, Subscription } from 'nats';
import { connectNats, crashOnThrow, formatNatsServersForLog, watchNatsConnection } from '#ports/nats';
import { BusError } from './bus.js';

/**
 * The two connections of a client: one for requests and serving, one for replies and fan-out. A slow reader of large
 * replies therefore can't cost the host its requests, nor the other way round. The link is up when both are.
 */
export class NatsConnectionPair {
  readonly #requestConnection: NatsConnection;
  readonly #replyConnection: NatsConnection;
  readonly #lostConnections = new Set<NatsConnection>();
  #closed = false;

  private constructor(requests: NatsConnection, replies: NatsConnection, changed: (up: boolean) => void) {
    this.#requestConnection = requests;
    this.#replyConnection = replies;
    for (const connection of [requests, replies]) {
      watchNatsConnection(
        connection,
        () => {
          const first = this.#lostConnections.size === 0;
          this.#lostConnections.add(connection);
          if (first) changed(false);
        },
        () => {
          this.#lostConnections.delete(connection);
          if (this.#lostConnections.size === 0) changed(true);
        },
      );
    }
  }

  /**
   * Opens both connections.
   * @throws BusError 'disconnected' if the server can't be reached now
   */
  static async open(url: string, name: string, changed: (up: boolean) => void): Promise<NatsConnectionPair> {
    const opened = await Promise.allSettled([connectNats(url, name), connectNats(url, `${name} replies`)]);
    const failed = opened.find((o) => o.status === 'rejected');
    if (failed) {
      for (const o of opened) if (o.status === 'fulfilled') await o.value.close();
      throw new BusError(
        'disconnected',
        `no NATS server at ${formatNatsServersForLog(url)}: ${String(failed.reason?.message ?? failed.reason)}`,
      );
    }
    const [requests, replies] = opened.map((o) => (o as PromiseFulfilledResult<NatsConnection>).value);
    return new NatsConnectionPair(requests!, replies!, changed);
  }

  get isUp(): boolean {
    return (
      !this.#closed &&
      this.#lostConnections.size === 0 &&
      !this.#requestConnection.isClosed() &&
      !this.#replyConnection.isClosed()
    );
  }

  publishOnRequestConnection(subject: string, data: Uint8Array, reply?: string): void {
    this.#requestConnection.publish(subject, data, reply ? { reply } : undefined);
  }

  publishOnReplyConnection(subject: string, data: Uint8Array): void {
    this.#replyConnection.publish(subject, data);
  }

  subscribeOnRequestConnection(subject: string, handler: (message: Msg) => void): Subscription {
    return subscribeOrCrash(this.#requestConnection, subject, handler);
  }

  subscribeOnReplyConnection(subject: string, handler: (message: Msg) => void): Subscription {
    return subscribeOrCrash(this.#replyConnection, subject, handler);
  }

  /** Resolves when the server has processed everything sent before. */
  async flush(): Promise<void> {
    await Promise.all([this.#requestConnection.flush(), this.#replyConnection.flush()]);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.all([this.#requestConnection.close(), this.#replyConnection.close()]);
  }
}

function subscribeOrCrash(connection: NatsConnection, subject: string, handler: (message: Msg) => void): Subscription {
  return connection.subscribe(subject, {
    callback: (error, message) => {
      crashOnThrow(() => {
        if (error) throw error;
        handler(message);
      });
    },
  });
}
