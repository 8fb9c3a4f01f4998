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
  type LocalBusSubjectServer,
} from './bus-local-requests.js';
import { ServedSubjectHints } from './bus-shared.js';

/** The in-process Bus. Values travel by reference. Delivery happens in a microtask, so a caller is never re-entered. */
export class LocalBus implements Bus, LocalBusClient {
  readonly id: string;
  readonly #hub: LocalBusHub;
  readonly #requestDeadlines: TimerWheel;
  readonly #ownServers = new Set<LocalBusSubjectServer>();
  readonly #pendingReplies = new Set<LocalBusPendingReply>();
  readonly #unansweredDeliveries = new Set<LocalBusRequestDelivery>();
  readonly #reconnectListeners: (() => void)[] = [];
  readonly #servedSubjectHints = new ServedSubjectHints();
  #queuedRequests: LocalBusPendingReply[] = [];
  #queuedReplies: [LocalBusRequestDelivery, Json][] = [];
  #queuedCancels: LocalBusRequestDelivery[] = [];
  #isFlushScheduled = false;
  #closed = false;
  #isConnected = true;

  constructor(clock: Clock, hub = new LocalBusHub(), id: string = randomBytes(12).toString('hex')) {
    this.id = id;
    this.#hub = hub;
    this.#requestDeadlines = new TimerWheel(clock);
    hub.addClient(this);
  }

  get connected(): boolean {
    return this.#isConnected && !this.#closed;
  }

  async serve(subject: string, handler: (request: BusRequest) => void): Promise<BusServerHandle> {
    if (this.#closed) throw new BusError('disconnected', 'the bus is closed');
    const server: LocalBusSubjectServer = { subject, client: this, handler };
    this.#ownServers.add(server);
    this.#hub.addServer(server);
    return {
      close: async () => {
        this.#ownServers.delete(server);
        this.#hub.removeServer(server);
      },
    };
  }

  request(subject: string, value: Json, deadlineMs: number): PendingBusReply {
    const pending = new LocalBusPendingReply(this, subject, value);
    if (this.connected) {
      this.#pendingReplies.add(pending);
      this.#requestDeadlines.addAfter(pending, deadlineMs);
      this.#queuedRequests.push(pending);
      this.#scheduleFlush();
    } else {
      pending.isSettled = true;
      pending.rejectReply(new BusError('disconnected'));
    }
    return pending;
  }

  onSubjectServed(fn: (subject: string) => void): void {
    this.#servedSubjectHints.addListener(fn);
  }

  /** Announces to the local listeners that a subject is now served. @internal */
  notifySubjectServed(subject: string): void {
    queueMicrotask(() => {
      if (this.connected) this.#servedSubjectHints.notifyListeners([subject]);
    });
  }

  onReconnect(fn: () => void): void {
    this.#reconnectListeners.push(fn);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#sendQueuedFrames();
    this.crash();
  }

  /** Acts as if the process of this client had been killed. @internal */
  crash(): void {
    this.#closed = true;
    this.#requestDeadlines.clear();
    for (const server of this.#ownServers) this.#hub.removeServer(server);
    this.#ownServers.clear();
    this.#failAllRequestsInFlight();
    this.#hub.removeClient(this);
  }

  /** Acts as if the connection had been lost or restored. @internal */
  setConnected(connected: boolean): void {
    if (this.#closed || connected === this.#isConnected) return;
    this.#isConnected = connected;
    if (connected) for (const fn of this.#reconnectListeners) fn();
    else this.#failAllRequestsInFlight();
  }

  /**
   * Fails the requests to this server with an unknown outcome.
   * @internal
   */
  failRequestsToSilentServer(server: string): void {
    for (const pending of [...this.#pendingReplies]) {
      const there = pending.deliveries.filter((delivery) => delivery.server.id === server);
      if (there.length === 0) continue;
      this.settleRequest(pending, 'timeout');
      for (const delivery of there) delivery.cancel();
    }
  }

  /** Ends all requests in flight: those that this client sent, and those that it was to answer. */
  #failAllRequestsInFlight(): void {
    this.#queuedRequests = [];
    this.#queuedReplies = [];
    this.#queuedCancels = [];
    for (const pending of [...this.#pendingReplies]) {
      this.settleRequest(pending, 'disconnected');
      for (const delivery of pending.deliveries) delivery.cancel();
    }
    for (const delivery of this.#unansweredDeliveries) {
      delivery.abandon();
      delivery.pending.client.settleRequest(delivery.pending, 'disconnected');
    }
    this.#unansweredDeliveries.clear();
  }

  /** Ends a request with its reply or a failure. @internal */
  settleRequest(pending: LocalBusPendingReply, outcome: BusFailureReason | 'cancelled' | { value: Json }): void {
    if (pending.isSettled) return;
    pending.isSettled = true;
    this.#pendingReplies.delete(pending);
    this.#requestDeadlines.remove(pending);
    if (outcome === 'cancelled') return;
    if (typeof outcome === 'object') pending.resolveReply(outcome.value);
    else pending.rejectReply(new BusError(outcome));
  }

  /** Sends the reply to a delivered request. @internal */
  queueReply(delivery: LocalBusRequestDelivery, value: Json): void {
    this.#unansweredDeliveries.delete(delivery);
    if (!this.connected) return;
    this.#queuedReplies.push([delivery, value]);
    this.#scheduleFlush();
  }

  /** Removes a delivered request that will not be answered. @internal */
  forgetDelivery(delivery: LocalBusRequestDelivery): void {
    this.#unansweredDeliveries.delete(delivery);
  }

  /** Cancels a request and releases it at its servers. @internal */
  cancelRequest(pending: LocalBusPendingReply): void {
    if (pending.isSettled) return;
    this.settleRequest(pending, 'cancelled');
    for (const delivery of pending.deliveries) this.#queuedCancels.push(delivery);
    if (pending.deliveries.length > 0) this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    queueMicrotask(() => {
      this.#isFlushScheduled = false;
      this.#sendQueuedFrames();
    });
  }

  #sendQueuedFrames(): void {
    const requests = this.#queuedRequests;
    const replies = this.#queuedReplies;
    const cancels = this.#queuedCancels;
    this.#queuedRequests = [];
    this.#queuedReplies = [];
    this.#queuedCancels = [];
    // The list of replies, like the other lists, is empty in most flushes.
    if (replies.length > 0) this.#sendReplies(replies);
    if (requests.length > 0) this.#sendRequests(requests);
    if (cancels.length > 0) this.#sendCancels(cancels);
  }

  #sendReplies(replies: [LocalBusRequestDelivery, Json][]): void {
    for (const [id, group] of groupByKey(replies, ([delivery]) => delivery.from)) {
      const pendings = group.map(([{ pending }]) => pending);
      this.#sendFrame('reply', id, '', pendings, () => {
        for (const [delivery, value] of group) delivery.pending.client.settleRequest(delivery.pending, { value });
      });
    }
  }

  #sendRequests(requests: LocalBusPendingReply[]): void {
    for (const [subject, group] of groupByKey(
      requests.filter((p) => !p.isSettled),
      (p) => p.subject,
    )) {
      const to = this.#hub.chooseConnectedServer(subject)?.client.id ?? '';
      this.#sendFrame('request', to, subject, group, () => this.#deliverRequestGroup(subject, group));
    }
  }

  #sendCancels(cancels: LocalBusRequestDelivery[]): void {
    for (const [id, group] of groupByKey(cancels, (delivery) => delivery.server.id)) {
      const cancel = (): void => {
        for (const delivery of group) delivery.cancel();
      };
      this.#hub.frameHook(
        { kind: 'cancel', senderId: this.id, receiverId: id, subject: '', itemCount: group.length },
        cancel,
        cancel,
      );
    }
  }

  #sendFrame(
    kind: LocalBusFrame['kind'],
    to: string,
    subject: string,
    pendings: readonly LocalBusPendingReply[],
    deliver: () => void,
  ): void {
    const frame: LocalBusFrame = {
      kind,
      senderId: this.id,
      receiverId: to,
      subject,
      itemCount: pendings.length,
      requests: pendings,
    };
    this.#hub.frameHook(frame, deliver, () => {
      for (const pending of pendings) pending.client.settleRequest(pending, 'timeout');
    });
  }

  #deliverRequestGroup(subject: string, group: LocalBusPendingReply[]): void {
    const server = this.#hub.chooseConnectedServer(subject);
    for (const pending of group) {
      if (server) server.client.deliverRequest(server, pending);
      else this.settleRequest(pending, 'nobody');
    }
  }

  /** Delivers a request to a handler of this client. @internal */
  deliverRequest(server: LocalBusSubjectServer, pending: LocalBusPendingReply): void {
    const delivery = new LocalBusRequestDelivery(this, pending);
    if (pending.isSettled) {
      // The request was cancelled while its frame was in flight: the server still does the work, as across a network.
      delivery.cancel();
    } else {
      pending.deliveries = [...pending.deliveries, delivery];
      this.#unansweredDeliveries.add(delivery);
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

function groupByKey<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const k = key(item);
    const group = groups.get(k);
    if (group) group.push(item);
    else groups.set(k, [item]);
  }
  return groups;
}
