import { randomBytes } from 'node:crypto';
import type { Json } from '#base';
import { type Clock, TimerWheel } from '#base/clock';
import {
  type Bus,
  BusError,
  type BusFailureReason,
  type BusRequest,
  type BusServerHandle,
  type PendingBusReply,
} from './bus.js';
import { LocalBusHub } from './bus-local-hub.js';
import {
  type LocalBusClient,
  type LocalBusFrame,
  LocalBusPendingReply,
  LocalBusRequestDelivery,
  type LocalBusServer,
} from './bus-local-requests.js';
import { ServedSubjectHints } from './bus-shared.js';

/** The in-process Bus. Values travel by reference. Delivery happens in a microtask, so a caller is never re-entered. */
export class LocalBus implements Bus, LocalBusClient {
  readonly id: string;
  readonly #hub: LocalBusHub;
  readonly #deadlines: TimerWheel;
  readonly #servers = new Set<LocalBusServer>();
  readonly #pending = new Set<LocalBusPendingReply>();
  readonly #deliveries = new Set<LocalBusRequestDelivery>();
  readonly #reconnect: (() => void)[] = [];
  readonly #hints = new ServedSubjectHints();
  #requests: LocalBusPendingReply[] = [];
  #replies: [LocalBusRequestDelivery, Json][] = [];
  #cancels: LocalBusRequestDelivery[] = [];
  #scheduled = false;
  #closed = false;
  #connected = true;

  constructor(clock: Clock, hub = new LocalBusHub(), id: string = randomBytes(12).toString('hex')) {
    this.id = id;
    this.#hub = hub;
    this.#deadlines = new TimerWheel(clock);
    hub.join(this);
  }

  get connected(): boolean {
    return this.#connected && !this.#closed;
  }

  async serve(subject: string, handler: (request: BusRequest) => void): Promise<BusServerHandle> {
    if (this.#closed) throw new BusError('disconnected', 'the bus is closed');
    const server: LocalBusServer = { subject, client: this, handler };
    this.#servers.add(server);
    this.#hub.add(server);
    return {
      close: async () => {
        this.#servers.delete(server);
        this.#hub.remove(server);
      },
    };
  }

  request(subject: string, value: Json, deadlineMs: number): PendingBusReply {
    const pending = new LocalBusPendingReply(this, subject, value);
    if (this.connected) {
      this.#pending.add(pending);
      this.#deadlines.addAfter(pending, deadlineMs);
      this.#requests.push(pending);
      this.#schedule();
    } else {
      pending.settled = true;
      pending.reject(new BusError('disconnected'));
    }
    return pending;
  }

  onServed(fn: (subject: string) => void): void {
    this.#hints.listen(fn);
  }

  /** Announces to the local listeners that a subject is now served. @internal */
  served(subject: string): void {
    queueMicrotask(() => {
      if (this.connected) this.#hints.notify([subject]);
    });
  }

  onReconnect(fn: () => void): void {
    this.#reconnect.push(fn);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#flush();
    this.crash();
  }

  /** Acts as if the process of this client had been killed. @internal */
  crash(): void {
    this.#closed = true;
    this.#deadlines.clear();
    for (const server of this.#servers) this.#hub.remove(server);
    this.#servers.clear();
    this.#drop();
    this.#hub.leave(this);
  }

  /** Acts as if the connection had been lost or restored. @internal */
  setConnected(connected: boolean): void {
    if (this.#closed || connected === this.#connected) return;
    this.#connected = connected;
    if (connected) for (const fn of this.#reconnect) fn();
    else this.#drop();
  }

  /**
   * Fails the requests to this server with an unknown outcome.
   * @internal
   */
  silent(server: string): void {
    for (const pending of [...this.#pending]) {
      const there = pending.deliveries.filter((delivery) => delivery.server.id === server);
      if (there.length === 0) continue;
      this.settle(pending, 'timeout');
      for (const delivery of there) delivery.cancel();
    }
  }

  /** Ends all requests in flight: those that this client sent, and those that it was to answer. */
  #drop(): void {
    this.#requests = [];
    this.#replies = [];
    this.#cancels = [];
    for (const pending of [...this.#pending]) {
      this.settle(pending, 'disconnected');
      for (const delivery of pending.deliveries) delivery.cancel();
    }
    for (const delivery of this.#deliveries) {
      delivery.abandon();
      delivery.pending.client.settle(delivery.pending, 'disconnected');
    }
    this.#deliveries.clear();
  }

  /** Ends a request with its reply or a failure. @internal */
  settle(pending: LocalBusPendingReply, outcome: BusFailureReason | 'cancelled' | { value: Json }): void {
    if (pending.settled) return;
    pending.settled = true;
    this.#pending.delete(pending);
    this.#deadlines.remove(pending);
    if (outcome === 'cancelled') return;
    if (typeof outcome === 'object') pending.resolve(outcome.value);
    else pending.reject(new BusError(outcome));
  }

  /** Sends the reply to a delivered request. @internal */
  answer(delivery: LocalBusRequestDelivery, value: Json): void {
    this.#deliveries.delete(delivery);
    if (!this.connected) return;
    this.#replies.push([delivery, value]);
    this.#schedule();
  }

  /** Removes a delivered request that will not be answered. @internal */
  forget(delivery: LocalBusRequestDelivery): void {
    this.#deliveries.delete(delivery);
  }

  /** Cancels a request and releases it at its servers. @internal */
  cancel(pending: LocalBusPendingReply): void {
    if (pending.settled) return;
    this.settle(pending, 'cancelled');
    for (const delivery of pending.deliveries) this.#cancels.push(delivery);
    if (pending.deliveries.length > 0) this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const requests = this.#requests;
    const replies = this.#replies;
    const cancels = this.#cancels;
    this.#requests = [];
    this.#replies = [];
    this.#cancels = [];
    // The list of replies, like the other lists, is empty in most flushes.
    if (replies.length > 0) this.#sendReplies(replies);
    if (requests.length > 0) this.#sendRequests(requests);
    if (cancels.length > 0) this.#sendCancels(cancels);
  }

  #sendReplies(replies: [LocalBusRequestDelivery, Json][]): void {
    for (const [id, group] of groupBy(replies, ([delivery]) => delivery.from)) {
      const pendings = group.map(([{ pending }]) => pending);
      this.#frame('reply', id, '', pendings, () => {
        for (const [delivery, value] of group) delivery.pending.client.settle(delivery.pending, { value });
      });
    }
  }

  #sendRequests(requests: LocalBusPendingReply[]): void {
    for (const [subject, group] of groupBy(
      requests.filter((p) => !p.settled),
      (p) => p.subject,
    )) {
      const to = this.#hub.find(subject)?.client.id ?? '';
      this.#frame('request', to, subject, group, () => this.#deliverAll(subject, group));
    }
  }

  #sendCancels(cancels: LocalBusRequestDelivery[]): void {
    for (const [id, group] of groupBy(cancels, (delivery) => delivery.server.id)) {
      const cancel = (): void => {
        for (const delivery of group) delivery.cancel();
      };
      this.#hub.hook({ kind: 'cancel', from: this.id, to: id, subject: '', count: group.length }, cancel, cancel);
    }
  }

  #frame(
    kind: LocalBusFrame['kind'],
    to: string,
    subject: string,
    pendings: readonly LocalBusPendingReply[],
    deliver: () => void,
  ): void {
    const frame: LocalBusFrame = { kind, from: this.id, to, subject, count: pendings.length, requests: pendings };
    this.#hub.hook(frame, deliver, () => {
      for (const pending of pendings) pending.client.settle(pending, 'timeout');
    });
  }

  #deliverAll(subject: string, group: LocalBusPendingReply[]): void {
    const server = this.#hub.find(subject);
    for (const pending of group) {
      if (server) server.client.deliver(server, pending);
      else this.settle(pending, 'nobody');
    }
  }

  /** Delivers a request to a handler of this client. @internal */
  deliver(server: LocalBusServer, pending: LocalBusPendingReply): void {
    const delivery = new LocalBusRequestDelivery(this, pending);
    if (pending.settled) {
      // The request was cancelled while its frame was in flight: the server still does the work, as across a network.
      delivery.cancel();
    } else {
      pending.deliveries = [...pending.deliveries, delivery];
      this.#deliveries.add(delivery);
    }
    try {
      server.handler(delivery);
    } catch (error) {
      // A bug of the handler must end the process, but must not stop the delivery of the rest of the frame.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const k = key(item);
    const group = groups.get(k);
    if (group) group.push(item);
    else groups.set(k, [item]);
  }
  return groups;
}
