/**
 * The Bus between the processes of one server: a worker's half (`LinkBus`), and the half of the process that has the
 * actors (`serveBusOverLink`), where each worker is a client of the LocalBusHub.
 */
import type { Json } from '#base';
import { type Clock, TimerWheel, type TimerWheelEntry } from '#base/clock';
import type { LinkMessage, ProcessLink } from '#ports/wire';
import {
  type Bus,
  BusError,
  type BusFailureReason,
  type BusRequest,
  type BusServerHandle,
  type PendingBusReply,
} from './bus.js';
import { LocalBus } from './bus-local.js';
import type { LocalBusHub } from './bus-local-hub.js';
import { BusRequestDelivery, ServedSubjectHints } from './bus-shared.js';

/** Channel of a link on which the messages of the bus travel. */
const BUS_LINK_CHANNEL = 1;

/**
 * First value of each message, and the values that follow. Ids of requests belong to their sender.
 * - request: id, subject, deadline in ms, value; of the other half: id, subject, id of the requester, value
 * - reply: id, value; failure: id, reason; cancel: id
 * - serve: subject, number; stopServing: subject, number; done: number, the confirmation of one of the two
 * - served: subject that a client of the hub begins to serve
 */
const BUS_LINK_MESSAGE = {
  request: 0,
  reply: 1,
  failure: 2,
  cancel: 3,
  serve: 4,
  stopServing: 5,
  done: 6,
  served: 7,
} as const;

class LinkPendingReply implements TimerWheelEntry, PendingBusReply {
  readonly reply: Promise<Json>;
  timerWheelBucket: Set<TimerWheelEntry> | undefined;
  resolveReply!: (value: Json) => void;
  rejectReply!: (error: BusError) => void;

  constructor(
    readonly bus: LinkBus,
    readonly id: number,
    readonly subject: string,
    readonly deadlineMs: number,
    readonly value: Json,
  ) {
    this.reply = new Promise<Json>((resolve, reject) => {
      this.resolveReply = resolve;
      this.rejectReply = reject;
    });
  }

  cancel(): void {
    this.bus.cancelRequest(this);
  }

  expire(): void {
    this.bus.failRequest(this, 'timeout');
  }
}

/** A request that came over the link, at the half that answers it. */
class LinkRequestDelivery extends BusRequestDelivery {
  constructor(
    private readonly bus: LinkBus,
    private readonly id: number,
    from: string,
    value: Json,
  ) {
    super(value, from);
  }

  protected override sendReply(value: Json): void {
    this.bus.sendReply(this.id, value);
  }

  protected override releaseResources(): void {
    this.bus.forgetDelivery(this.id);
  }
}

/** The Bus of a worker. Requests of an event-loop turn to all subjects travel in one frame. */
export class LinkBus implements Bus {
  readonly #requestDeadlines: TimerWheel;
  readonly #pendingRepliesById = new Map<number, LinkPendingReply>();
  readonly #handlersBySubject = new Map<string, (request: BusRequest) => void>();
  readonly #unansweredDeliveriesById = new Map<number, LinkRequestDelivery>();
  readonly #confirmationsByNumber = new Map<number, () => void>();
  readonly #servedSubjectHints = new ServedSubjectHints();
  /** Requests that are sent at the end of this event-loop turn, unless they are cancelled before. */
  #queuedRequests: LinkPendingReply[] = [];
  #lastRequestId = 0;
  #lastConfirmationNumber = 0;
  #closed = false;

  /** @param id identity of this client, the one with which the other half called `serveBusOverLink` */
  constructor(
    private readonly link: ProcessLink,
    clock: Clock,
    readonly id: string,
  ) {
    this.#requestDeadlines = new TimerWheel(clock);
    link.setHandler(BUS_LINK_CHANNEL, (message) => this.#handleMessage(message));
    link.onClose(() => this.#endAllRequests());
  }

  get connected(): boolean {
    return this.link.isOpen && !this.#closed;
  }

  async serve(subject: string, handler: (request: BusRequest) => void): Promise<BusServerHandle> {
    if (!this.connected) throw new BusError('disconnected', 'the bus is closed');
    this.#handlersBySubject.set(subject, handler);
    await this.#sendAndAwaitConfirmation(BUS_LINK_MESSAGE.serve, subject);
    return {
      // Requests that the other half sent before it confirmed the end reach the handler.
      close: async () => {
        await this.#sendAndAwaitConfirmation(BUS_LINK_MESSAGE.stopServing, subject);
        if (this.#handlersBySubject.get(subject) === handler) this.#handlersBySubject.delete(subject);
      },
    };
  }

  request(subject: string, value: Json, deadlineMs: number): PendingBusReply {
    const pending = new LinkPendingReply(this, ++this.#lastRequestId, subject, deadlineMs, value);
    if (this.connected) {
      this.#pendingRepliesById.set(pending.id, pending);
      this.#requestDeadlines.addAfter(pending, deadlineMs);
      this.#queuedRequests.push(pending);
      if (this.#queuedRequests.length === 1) setImmediate(() => this.#sendQueuedRequests());
    } else pending.rejectReply(new BusError('disconnected'));
    return pending;
  }

  onSubjectServed(fn: (subject: string) => void): void {
    this.#servedSubjectHints.addListener(fn);
  }

  /** A link is never restored: the worker ends with it. */
  onReconnect(): void {}

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#sendQueuedRequests();
    this.#closed = true;
    this.link.close();
    this.#endAllRequests();
  }

  /** Fails a request in flight, and releases it at its server. @internal */
  failRequest(pending: LinkPendingReply, reason: BusFailureReason): void {
    if (!this.#takePendingReply(pending.id)) return;
    this.#send(BUS_LINK_MESSAGE.cancel, pending.id);
    pending.rejectReply(new BusError(reason));
  }

  /** Releases a request at its server; its reply never settles. @internal */
  cancelRequest(pending: LinkPendingReply): void {
    if (this.#takePendingReply(pending.id)) this.#send(BUS_LINK_MESSAGE.cancel, pending.id);
  }

  /** Answers a request of the other half. @internal */
  sendReply(id: number, value: Json): void {
    this.#unansweredDeliveriesById.delete(id);
    this.#send(BUS_LINK_MESSAGE.reply, id, value);
  }

  /** Forgets a request of the other half that was cancelled. @internal */
  forgetDelivery(id: number): void {
    this.#unansweredDeliveriesById.delete(id);
  }

  #send(...message: LinkMessage): void {
    this.link.send(BUS_LINK_CHANNEL, message);
  }

  #sendAndAwaitConfirmation(kind: number, subject: string): Promise<void> {
    return new Promise((resolve) => {
      if (!this.connected) {
        resolve();
        return;
      }
      const n = ++this.#lastConfirmationNumber;
      this.#confirmationsByNumber.set(n, resolve);
      this.#send(kind, subject, n);
    });
  }

  #sendQueuedRequests(): void {
    const queued = this.#queuedRequests;
    this.#queuedRequests = [];
    for (const { id, subject, deadlineMs, value } of queued)
      if (this.#pendingRepliesById.has(id)) this.#send(BUS_LINK_MESSAGE.request, id, subject, deadlineMs, value);
    this.link.flush();
  }

  #takePendingReply(id: number): LinkPendingReply | undefined {
    const pending = this.#pendingRepliesById.get(id);
    if (!pending) return undefined;
    this.#pendingRepliesById.delete(id);
    this.#requestDeadlines.remove(pending);
    return pending;
  }

  #handleMessage([kind, first, second, third, fourth]: LinkMessage): void {
    switch (kind) {
      case BUS_LINK_MESSAGE.reply:
        this.#takePendingReply(first as number)?.resolveReply(second as Json);
        return;
      case BUS_LINK_MESSAGE.failure:
        this.#takePendingReply(first as number)?.rejectReply(new BusError(second as BusFailureReason));
        return;
      case BUS_LINK_MESSAGE.request:
        this.#deliverRequest(first as number, second as string, third as string, fourth as Json);
        return;
      case BUS_LINK_MESSAGE.cancel:
        this.#unansweredDeliveriesById.get(first as number)?.cancel();
        return;
      case BUS_LINK_MESSAGE.served:
        this.#servedSubjectHints.notifyListeners([first as string]);
        return;
      case BUS_LINK_MESSAGE.done: {
        const confirm = this.#confirmationsByNumber.get(first as number);
        this.#confirmationsByNumber.delete(first as number);
        confirm?.();
      }
    }
  }

  #deliverRequest(id: number, subject: string, from: string, value: Json): void {
    // The other half sends no request after it has confirmed the end of a subject.
    const handler = this.#handlersBySubject.get(subject);
    if (!handler) return;
    const delivery = new LinkRequestDelivery(this, id, from, value);
    this.#unansweredDeliveriesById.set(id, delivery);
    handler(delivery);
  }

  /** Ends the requests in flight, those of this client and those that it was to answer, after the link has closed. */
  #endAllRequests(): void {
    this.#queuedRequests = [];
    this.#requestDeadlines.clear();
    for (const pending of this.#pendingRepliesById.values()) pending.rejectReply(new BusError('disconnected'));
    this.#pendingRepliesById.clear();
    for (const delivery of this.#unansweredDeliveriesById.values()) delivery.abandon();
    this.#unansweredDeliveriesById.clear();
    for (const confirm of this.#confirmationsByNumber.values()) confirm();
    this.#confirmationsByNumber.clear();
  }
}

/**
 * Makes the process at the other end of a link a client of the hub. When the link closes, the client's requests are
 * cancelled, and those that it holds fail with an unknown outcome.
 *
 * @param id identity of the client in the hub, which its `LinkBus` has too
 * @param holdReply returns a promise until which a reply to the client is held; undefined: it is sent at once
 */
export function serveBusOverLink(
  link: ProcessLink,
  hub: LocalBusHub,
  clock: Clock,
  id: string,
  holdReply: (request: Json, reply: Json) => Promise<void> | undefined = () => undefined,
): void {
  const local = new LocalBus(clock, hub, id);
  const pendingRepliesById = new Map<number, PendingBusReply>();
  const forwardedRequestsById = new Map<number, BusRequest>();
  const handlesBySubject = new Map<string, BusServerHandle>();
  let lastForwardedId = 0;
  const send = (...message: LinkMessage): void => link.send(BUS_LINK_CHANNEL, message);

  const sendRequest = (id: number, subject: string, deadlineMs: number, value: Json): void => {
    const pending = local.request(subject, value, deadlineMs);
    pendingRepliesById.set(id, pending);
    pending.reply.then(
      (reply) => {
        pendingRepliesById.delete(id);
        const sendReply = (): void => send(BUS_LINK_MESSAGE.reply, id, reply);
        const held = holdReply(value, reply);
        if (held) void held.then(sendReply);
        else sendReply();
      },
      (error: BusError) => {
        pendingRepliesById.delete(id);
        send(BUS_LINK_MESSAGE.failure, id, error.failure);
      },
    );
  };
  const forwardRequest = (subject: string, request: BusRequest): void => {
    const id = ++lastForwardedId;
    forwardedRequestsById.set(id, request);
    request.onCancel(() => {
      if (forwardedRequestsById.delete(id)) send(BUS_LINK_MESSAGE.cancel, id);
    });
    send(BUS_LINK_MESSAGE.request, id, subject, request.from, request.value);
  };
  const takeForwardedRequest = (id: number): BusRequest | undefined => {
    const request = forwardedRequestsById.get(id);
    forwardedRequestsById.delete(id);
    return request;
  };

  link.setHandler(BUS_LINK_CHANNEL, ([kind, first, second, third, fourth]) => {
    switch (kind) {
      case BUS_LINK_MESSAGE.request:
        sendRequest(first as number, second as string, third as number, fourth as Json);
        return;
      case BUS_LINK_MESSAGE.cancel:
        pendingRepliesById.get(first as number)?.cancel();
        pendingRepliesById.delete(first as number);
        return;
      case BUS_LINK_MESSAGE.reply:
        takeForwardedRequest(first as number)?.reply(second as Json);
        return;
      case BUS_LINK_MESSAGE.serve: {
        const subject = first as string;
        const serving = local.serve(subject, (request) => forwardRequest(subject, request));
        void serving.then((handle) => {
          handlesBySubject.set(subject, handle);
          send(BUS_LINK_MESSAGE.done, second as number);
        });
        return;
      }
      case BUS_LINK_MESSAGE.stopServing: {
        const handle = handlesBySubject.get(first as string);
        handlesBySubject.delete(first as string);
        void Promise.resolve(handle?.close()).then(() => send(BUS_LINK_MESSAGE.done, second as number));
      }
    }
  });
  local.onSubjectServed((subject) => send(BUS_LINK_MESSAGE.served, subject));
  link.onClose(() => local.crash());
}
