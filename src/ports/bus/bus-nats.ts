/**
 * NatsBus: core NATS plus what the Bus contract needs beyond it.
 *
 * - Frames: everything of a tick to one destination is one NATS message (bus-nats-frame.ts).
 * - Confirmations: a server confirms request frames with the next message it sends, at the latest with its heartbeat a
 *   second later, and numbers its own frames. A missing confirmation, a missing number, or silence fails the requests
 *   concerned with 'disconnected', because core NATS loses messages without notice.
 * - Large frames go in chunks with credit (bus-nats-transfers.ts).
 * - Requests to a subject served by this process stay in it: actors of one host ask each other without a frame.
 */
import { randomBytes } from 'node:crypto';
import type { Msg, Subscription } from 'nats';
import type { Json } from '#base';
import { type Clock, runPeriodically, TimerWheel } from '#base/clock';
import { decodeFrameHead, encodeFrameWithoutBlobs } from '#ports/wire';
import {
  type Bus,
  BusError,
  type BusRequest,
  type BusServerHandle,
  type BusStats,
  type PendingBusReply,
} from './bus.js';
import { LocalBus } from './bus-local.js';
import { LocalBusHub } from './bus-local-hub.js';
import { type BusControlMessageType, makeEmptyBusStats, type NatsBusContext } from './bus-nats-context.js';
import {
  BUS_FRAME_KIND_CHUNK,
  BUS_FRAME_KIND_CONTROL,
  BUS_FRAME_KIND_OPEN_TRANSFER,
  BUS_FRAME_KIND_REPLIES,
  BUS_FRAME_KIND_REQUESTS,
  controlInboxOfBusClient,
  decodeTransferChunk,
  noResponderInboxOfFrame,
  replyInboxOfBusClient,
  SERVED_SUBJECTS_ANNOUNCEMENT_SUBJECT,
} from './bus-nats-frame.js';
import { NatsConnectionPair } from './bus-nats-link.js';
import { NatsBusRequester } from './bus-nats-requester.js';
import { NatsBusResponder } from './bus-nats-responder.js';
import { ChunkedBusTransfers } from './bus-nats-transfers.js';
import { ServedSubjectHints } from './bus-shared.js';

const SILENCE_CHECK_INTERVAL_MS = 500;
const SILENCE_CHECKS_PER_HEARTBEAT = 2;

interface NatsBusOptions {
  /** Identity of the client; random by default. Two clients that are running at the same time must never share one. */
  readonly id?: string;
  /** Name shown in the NATS server's monitoring. */
  readonly name?: string;
}

export class NatsBus implements Bus {
  readonly id: string;
  readonly stats: BusStats = makeEmptyBusStats();
  readonly #clock: Clock;
  readonly #requestDeadlines: TimerWheel;
  readonly #reconnectListeners: (() => void)[] = [];
  readonly #servedSubjectHints = new ServedSubjectHints();
  readonly #chunkedTransfers: ChunkedBusTransfers;
  readonly #servedSubscriptions = new Set<Subscription>();
  /** Local hub for the subjects that this process serves itself. */
  readonly #localHub = new LocalBusHub();
  readonly #localBus: LocalBus;
  #requester!: NatsBusRequester;
  #responder!: NatsBusResponder;
  #connectionPair!: NatsConnectionPair;
  #stopSilenceChecks: () => void = () => {};
  #silenceCheckCount = 0;
  #lastSilenceCheckAt: number;
  #isFlushScheduled = false;
  #closed = false;

  private constructor(clock: Clock, id: string) {
    this.id = id;
    this.#clock = clock;
    this.#requestDeadlines = new TimerWheel(clock);
    this.#localBus = new LocalBus(clock, this.#localHub, id);
    this.#lastSilenceCheckAt = clock.monotonic();
    this.#chunkedTransfers = new ChunkedBusTransfers(id, {
      reply: (to, data) => this.#publishOnReplyConnection(replyInboxOfBusClient(to), data),
      request: (to, data) => this.#publishOnRequestConnection(controlInboxOfBusClient(to), data),
      sendCredit: (to, transfer, upTo) => this.#sendControlMessage(to, 'credit', transfer, upTo),
    });
  }

  /**
   * Connects a client of the bus.
   * @param url one or several server URLs, separated by commas
   * @throws BusError 'disconnected' if no server can be reached now
   */
  static async connect(url: string, clock: Clock, options: NatsBusOptions = {}): Promise<NatsBus> {
    const bus = new NatsBus(clock, options.id ?? randomBytes(12).toString('hex'));
    const link = await NatsConnectionPair.open(url, options.name ?? 'conclave bus', (up) =>
      bus.#handleConnectionChange(up),
    );
    await bus.#startOnConnections(link);
    return bus;
  }

  get connected(): boolean {
    return !this.#closed && this.#connectionPair.isUp;
  }

  /**
   * Serves a subject. Resolves when the NATS server routes requests to this process. While the connection is lost,
   * resolves at once; requests arrive when the connection is back.
   */
  async serve(subject: string, handler: (request: BusRequest) => void): Promise<BusServerHandle> {
    if (this.#closed) throw new BusError('disconnected', 'the bus is closed');
    const subscription: Subscription = this.#connectionPair.subscribeOnRequestConnection(subject, (m) =>
      this.#countAndHandleMessage(m, () => this.#handleRequestMessage(m.data, handler)),
    );
    this.#servedSubscriptions.add(subscription);
    const own = await this.#localBus.serve(subject, handler);
    this.#servedSubjectHints.queueAnnouncement(subject);
    this.#scheduleFlush();
    if (this.#connectionPair.isUp) await this.#connectionPair.flush().catch(() => {});
    return {
      close: async () => {
        await own.close();
        await this.#stopServing(subscription);
      },
    };
  }

  request(subject: string, value: Json, deadlineMs: number): PendingBusReply {
    if (this.connected && this.#localHub.chooseConnectedServer(subject))
      return this.#localBus.request(subject, value, deadlineMs);
    return this.#requester.request(subject, value, deadlineMs);
  }

  onSubjectServed(fn: (subject: string) => void): void {
    this.#servedSubjectHints.addListener(fn);
  }

  onReconnect(fn: () => void): void {
    this.#reconnectListeners.push(fn);
  }

  /**
   * Fails requests in flight with 'disconnected': those of this client, and those of other clients that this one was to
   * answer.
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#localBus.close();
    await Promise.all([...this.#servedSubscriptions].map((s) => this.#stopServing(s)));
    this.#requester.failAllRequests();
    this.#requester.sendQueuedRequestsAndCancels();
    this.#responder.announceClosingAndAbandonRequests();
    if (this.#connectionPair.isUp) await this.#connectionPair.flush().catch(() => {});
    await this.crash();
  }

  /** Ends as if the process had been killed, without a message to the other clients. For tests. */
  async crash(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopSilenceChecks();
    this.#localBus.crash();
    await this.#connectionPair.close();
    this.#requester.failAllRequests();
    this.#responder.abandonAllRequests();
    this.#chunkedTransfers.failAllTransfers();
    this.#requestDeadlines.clear();
  }

  async #stopServing(subscription: Subscription): Promise<void> {
    if (!this.#servedSubscriptions.delete(subscription)) return;
    if (this.#connectionPair.isUp) await subscription.drain().catch(() => {});
    else subscription.unsubscribe();
  }

  async #startOnConnections(link: NatsConnectionPair): Promise<void> {
    this.#connectionPair = link;
    const shared: NatsBusContext = {
      id: this.id,
      connectionPair: link,
      transfers: this.#chunkedTransfers,
      deadlines: this.#requestDeadlines,
      stats: this.stats,
      scheduleFlush: () => this.#scheduleFlush(),
      publish: (subject, data, reply) => this.#publishOnRequestConnection(subject, data, reply),
      publishReply: (subject, data) => this.#publishOnReplyConnection(subject, data),
      sendControlMessage: (to, type, ...rest) => this.#sendControlMessage(to, type, ...rest),
    };
    this.#requester = new NatsBusRequester(shared);
    this.#responder = new NatsBusResponder(shared);
    link.subscribeOnRequestConnection(controlInboxOfBusClient(this.id), (m) =>
      this.#countAndHandleMessage(m, () => this.#handleControlMessage(m.data)),
    );
    link.subscribeOnRequestConnection(SERVED_SUBJECTS_ANNOUNCEMENT_SUBJECT, (m) =>
      this.#countAndHandleMessage(m, () => this.#handleControlMessage(m.data)),
    );
    link.subscribeOnRequestConnection(noResponderInboxOfFrame(this.id, '*'), (message) =>
      this.#handleNoResponders(message),
    );
    link.subscribeOnReplyConnection(replyInboxOfBusClient(this.id), (m) =>
      this.#countAndHandleMessage(m, () => this.#handleReplyMessage(m.data)),
    );
    await link.flush();
    this.#stopSilenceChecks = runPeriodically(this.#clock, SILENCE_CHECK_INTERVAL_MS, () =>
      this.#checkPeersAndSendHeartbeats(),
    );
  }

  #handleConnectionChange(up: boolean): void {
    if (this.#closed) return;
    if (up) {
      this.#scheduleFlush();
      for (const fn of this.#reconnectListeners) fn();
    } else {
      this.#requester.failAllRequests();
      this.#chunkedTransfers.failAllTransfers();
    }
  }

  /**
   * Handles a received message, and counts it if it is malformed. Exceptions of request handlers don't end up in this
   * method (see `crashOnThrow`).
   */
  #countAndHandleMessage({ data }: Msg, take: () => void): void {
    this.stats.framesIn++;
    this.stats.bytesIn += data.byteLength;
    try {
      take();
    } catch {
      this.stats.malformedFrames++;
    }
  }

  #handleRequestMessage(data: Uint8Array, handler: (request: BusRequest) => void): void {
    if (data[0] === BUS_FRAME_KIND_OPEN_TRANSFER) {
      const [, from, transfer, size] = decodeFrameHead(data) as [number, string, number, number];
      this.#responder.resetClientSilence(from);
      this.#chunkedTransfers.expectTransfer(from, transfer, size, (body) => {
        if (body) this.#handleRequestMessage(body, handler);
      });
    } else if (data[0] === BUS_FRAME_KIND_REQUESTS) {
      const [n, from, entries, cancels] = decodeFrameHead(data) as [number, string, unknown[], number[]];
      this.#responder.handleRequestFrame(from, n, entries, cancels, handler);
    }
  }

  #handleReplyMessage(data: Uint8Array): void {
    switch (data[0]) {
      case BUS_FRAME_KIND_CHUNK:
        this.#chunkedTransfers.receiveChunk(decodeTransferChunk(data));
        break;
      case BUS_FRAME_KIND_OPEN_TRANSFER: {
        const [n, from, transfer, size, acks] = decodeFrameHead(data) as [number, string, number, number, number[]];
        this.#requester.handleFrameConfirmations(from, n, acks);
        this.#chunkedTransfers.expectTransfer(from, transfer, size, (body) => {
          if (body)
            this.#requester.handleReplies(from, (decodeFrameHead(body) as [number, string, number[], unknown[]])[3]);
          else this.#requester.failRequestsHeldByServer(from);
        });
        break;
      }
      case BUS_FRAME_KIND_REPLIES: {
        const [n, from, acks, replies, bye] = decodeFrameHead(data) as [number, string, number[], unknown[], boolean];
        this.#requester.handleFrameConfirmations(from, n, acks);
        this.#requester.handleReplies(from, replies);
        if (bye) this.#requester.handleServerClosing(from);
      }
    }
  }

  #handleControlMessage(data: Uint8Array): void {
    if (data[0] === BUS_FRAME_KIND_CHUNK) this.#chunkedTransfers.receiveChunk(decodeTransferChunk(data));
    if (data[0] !== BUS_FRAME_KIND_CONTROL) return;
    const [from, type, ...rest] = decodeFrameHead(data) as [string, BusControlMessageType, ...unknown[]];
    if (type === 'alive') this.#responder.resetClientSilence(from);
    else if (type === 'cancel') this.#responder.cancelRequests(from, rest[0] as number[]);
    else if (type === 'served') this.#handleSubjectsServedElsewhere(from, rest[0] as string[]);
    else this.#chunkedTransfers.handleCredit(from, rest[0] as number, rest[1] as number);
  }

  #handleSubjectsServedElsewhere(from: string, subjects: readonly string[]): void {
    this.#requester.failRequestsHeldByOtherServers(from, new Set(subjects));
    this.#servedSubjectHints.notifyListeners(subjects);
  }

  #handleNoResponders(message: Msg): void {
    if (message.headers?.code !== 503) return;
    this.#requester.handleNoServerForFrame(Number(message.subject.slice(message.subject.lastIndexOf('.') + 1)));
  }

  #publishOnRequestConnection(subject: string, data: Uint8Array, reply?: string): void {
    if (!this.#connectionPair.isUp) return;
    this.#countSentFrame(data);
    this.#connectionPair.publishOnRequestConnection(subject, data, reply);
  }

  #publishOnReplyConnection(subject: string, data: Uint8Array): void {
    if (!this.#connectionPair.isUp) return;
    this.#countSentFrame(data);
    this.#connectionPair.publishOnReplyConnection(subject, data);
  }

  #countSentFrame(data: Uint8Array): void {
    this.stats.framesOut++;
    this.stats.bytesOut += data.byteLength;
  }

  #sendControlMessage(to: string, type: BusControlMessageType, ...rest: unknown[]): void {
    this.#publishOnRequestConnection(
      controlInboxOfBusClient(to),
      encodeFrameWithoutBlobs(BUS_FRAME_KIND_CONTROL, [this.id, type, ...rest]),
    );
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    // The frame is sent after the poll phase, so that requests from all sockets of this event-loop turn share it.
    setImmediate(() => {
      this.#isFlushScheduled = false;
      if (this.#closed) return;
      this.#responder.sendQueuedReplies();
      if (!this.#connectionPair.isUp) return;
      this.#requester.sendQueuedRequestsAndCancels();
      this.#announceServedSubjects();
    });
  }

  #announceServedSubjects(): void {
    const begun = this.#servedSubjectHints.takeUnannouncedSubjects();
    if (begun.length > 0) {
      this.#publishOnRequestConnection(
        SERVED_SUBJECTS_ANNOUNCEMENT_SUBJECT,
        encodeFrameWithoutBlobs(BUS_FRAME_KIND_CONTROL, [this.id, 'served' satisfies BusControlMessageType, begun]),
      );
    }
  }

  #checkPeersAndSendHeartbeats(): void {
    const now = this.#clock.monotonic();
    // If this process stalled, messages of the other processes are still unread: the stall doesn't count as their
    // silence.
    const elapsed = Math.min(now - this.#lastSilenceCheckAt, 1.5 * SILENCE_CHECK_INTERVAL_MS);
    this.#lastSilenceCheckAt = now;
    const beat = ++this.#silenceCheckCount % SILENCE_CHECKS_PER_HEARTBEAT === 0;
    this.#chunkedTransfers.failStalledAndRepeatCredits(elapsed);
    for (const from of this.#chunkedTransfers.listIncomingSenderIds()) this.#requester.resetServerSilence(from);
    this.#requester.checkServersAndSendHeartbeats(elapsed, beat);
    this.#responder.checkClientsAndSendHeartbeats(elapsed, beat);
  }
}
