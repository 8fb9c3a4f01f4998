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
  decodeBusFrameHead,
  decodeTransferChunk,
  encodeBusFrameHead,
  noResponderInboxOfFrame,
  replyInboxOfBusClient,
  SERVED_SUBJECTS_ANNOUNCEMENT,
} from './bus-nats-frame.js';
import { NatsConnectionPair } from './bus-nats-link.js';
import { NatsBusRequester } from './bus-nats-requester.js';
import { NatsBusResponder } from './bus-nats-responder.js';
import { ChunkedBusTransfers } from './bus-nats-transfers.js';
import { ServedSubjectHints } from './bus-shared.js';

const TICK_MS = 500;
const TICKS_PER_BEAT = 2;

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
  readonly #deadlines: TimerWheel;
  readonly #reconnect: (() => void)[] = [];
  readonly #hints = new ServedSubjectHints();
  readonly #transfers: ChunkedBusTransfers;
  readonly #serving = new Set<Subscription>();
  /** Local hub for the subjects that this process serves itself. */
  readonly #hub = new LocalBusHub();
  readonly #own: LocalBus;
  #requester!: NatsBusRequester;
  #responder!: NatsBusResponder;
  #link!: NatsConnectionPair;
  #stop: () => void = () => {};
  #ticks = 0;
  #lastTick: number;
  #scheduled = false;
  #closed = false;

  private constructor(clock: Clock, id: string) {
    this.id = id;
    this.#clock = clock;
    this.#deadlines = new TimerWheel(clock);
    this.#own = new LocalBus(clock, this.#hub, id);
    this.#lastTick = clock.monotonic();
    this.#transfers = new ChunkedBusTransfers(id, {
      reply: (to, data) => this.#publishReply(replyInboxOfBusClient(to), data),
      request: (to, data) => this.#publish(controlInboxOfBusClient(to), data),
      credit: (to, transfer, upTo) => this.#control(to, 'credit', transfer, upTo),
    });
  }

  /**
   * Connects a client of the bus.
   * @param url one or several server URLs, separated by commas
   * @throws BusError 'disconnected' if no server can be reached now
   */
  static async connect(url: string, clock: Clock, options: NatsBusOptions = {}): Promise<NatsBus> {
    const bus = new NatsBus(clock, options.id ?? randomBytes(12).toString('hex'));
    const link = await NatsConnectionPair.open(url, options.name ?? 'conclave bus', (up) => bus.#changed(up));
    await bus.#start(link);
    return bus;
  }

  get connected(): boolean {
    return !this.#closed && this.#link.up;
  }

  /**
   * Serves a subject. Resolves when the NATS server routes requests to this process. While the connection is lost,
   * resolves at once; requests arrive when the connection is back.
   */
  async serve(subject: string, handler: (request: BusRequest) => void): Promise<BusServerHandle> {
    if (this.#closed) throw new BusError('disconnected', 'the bus is closed');
    const subscription: Subscription = this.#link.subscribe(subject, (m) =>
      this.#read(m, () => this.#served(m.data, handler)),
    );
    this.#serving.add(subscription);
    const own = await this.#own.serve(subject, handler);
    this.#hints.announce(subject);
    this.#schedule();
    if (this.#link.up) await this.#link.flush().catch(() => {});
    return {
      close: async () => {
        await own.close();
        await this.#stopServing(subscription);
      },
    };
  }

  request(subject: string, value: Json, deadlineMs: number): PendingBusReply {
    if (this.connected && this.#hub.find(subject)) return this.#own.request(subject, value, deadlineMs);
    return this.#requester.request(subject, value, deadlineMs);
  }

  onServed(fn: (subject: string) => void): void {
    this.#hints.listen(fn);
  }

  onReconnect(fn: () => void): void {
    this.#reconnect.push(fn);
  }

  /**
   * Fails requests in flight with 'disconnected': those of this client, and those of other clients that this one was to
   * answer.
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#own.close();
    await Promise.all([...this.#serving].map((s) => this.#stopServing(s)));
    this.#requester.failAll();
    this.#requester.flush();
    this.#responder.bye();
    if (this.#link.up) await this.#link.flush().catch(() => {});
    await this.crash();
  }

  /** Ends as if the process had been killed, without a message to the other clients. For tests. */
  async crash(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stop();
    this.#own.crash();
    await this.#link.close();
    this.#requester.failAll();
    this.#responder.abandon();
    this.#transfers.clear();
    this.#deadlines.clear();
  }

  async #stopServing(subscription: Subscription): Promise<void> {
    if (!this.#serving.delete(subscription)) return;
    if (this.#link.up) await subscription.drain().catch(() => {});
    else subscription.unsubscribe();
  }

  async #start(link: NatsConnectionPair): Promise<void> {
    this.#link = link;
    const shared: NatsBusContext = {
      id: this.id,
      link,
      transfers: this.#transfers,
      deadlines: this.#deadlines,
      stats: this.stats,
      schedule: () => this.#schedule(),
      publish: (subject, data, reply) => this.#publish(subject, data, reply),
      publishReply: (subject, data) => this.#publishReply(subject, data),
      control: (to, type, ...rest) => this.#control(to, type, ...rest),
    };
    this.#requester = new NatsBusRequester(shared);
    this.#responder = new NatsBusResponder(shared);
    link.subscribe(controlInboxOfBusClient(this.id), (m) => this.#read(m, () => this.#controlled(m.data)));
    link.subscribe(SERVED_SUBJECTS_ANNOUNCEMENT, (m) => this.#read(m, () => this.#controlled(m.data)));
    link.subscribe(noResponderInboxOfFrame(this.id, '*'), (message) => this.#nobody(message));
    link.subscribeReplies(replyInboxOfBusClient(this.id), (m) => this.#read(m, () => this.#replied(m.data)));
    await link.flush();
    this.#stop = runPeriodically(this.#clock, TICK_MS, () => this.#tick());
  }

  #changed(up: boolean): void {
    if (this.#closed) return;
    if (up) {
      this.#schedule();
      for (const fn of this.#reconnect) fn();
    } else {
      this.#requester.failAll();
      this.#transfers.clear();
    }
  }

  /**
   * Handles a received message, and counts it if it is malformed. Exceptions of request handlers don't end up in this
   * method (see `crashOnThrow`).
   */
  #read({ data }: Msg, take: () => void): void {
    this.stats.framesIn++;
    this.stats.bytesIn += data.byteLength;
    try {
      take();
    } catch {
      this.stats.malformed++;
    }
  }

  #served(data: Uint8Array, handler: (request: BusRequest) => void): void {
    if (data[0] === BUS_FRAME_KIND_OPEN_TRANSFER) {
      const [, from, transfer, size] = decodeBusFrameHead(data) as [number, string, number, number];
      this.#responder.heard(from);
      this.#transfers.expect(from, transfer, size, (body) => {
        if (body) this.#served(body, handler);
      });
    } else if (data[0] === BUS_FRAME_KIND_REQUESTS) {
      const [n, from, entries, cancels] = decodeBusFrameHead(data) as [number, string, unknown[], number[]];
      this.#responder.frame(from, n, entries, cancels, handler);
    }
  }

  #replied(data: Uint8Array): void {
    switch (data[0]) {
      case BUS_FRAME_KIND_CHUNK:
        this.#transfers.chunk(decodeTransferChunk(data));
        break;
      case BUS_FRAME_KIND_OPEN_TRANSFER: {
        const [n, from, transfer, size, acks] = decodeBusFrameHead(data) as [number, string, number, number, number[]];
        this.#requester.announced(from, n, acks);
        this.#transfers.expect(from, transfer, size, (body) => {
          if (body)
            this.#requester.replies(from, (decodeBusFrameHead(body) as [number, string, number[], unknown[]])[3]);
          else this.#requester.failServer(from);
        });
        break;
      }
      case BUS_FRAME_KIND_REPLIES: {
        const [n, from, acks, replies, bye] = decodeBusFrameHead(data) as [
          number,
          string,
          number[],
          unknown[],
          boolean,
        ];
        this.#requester.announced(from, n, acks);
        this.#requester.replies(from, replies);
        if (bye) this.#requester.gone(from);
      }
    }
  }

  #controlled(data: Uint8Array): void {
    if (data[0] === BUS_FRAME_KIND_CHUNK) this.#transfers.chunk(decodeTransferChunk(data));
    if (data[0] !== BUS_FRAME_KIND_CONTROL) return;
    const [from, type, ...rest] = decodeBusFrameHead(data) as [string, BusControlMessageType, ...unknown[]];
    if (type === 'alive') this.#responder.heard(from);
    else if (type === 'cancel') this.#responder.cancel(from, rest[0] as number[]);
    else if (type === 'served') this.#othersServe(from, rest[0] as string[]);
    else this.#transfers.credit(from, rest[0] as number, rest[1] as number);
  }

  #othersServe(from: string, subjects: readonly string[]): void {
    this.#requester.served(from, new Set(subjects));
    this.#hints.notify(subjects);
  }

  #nobody(message: Msg): void {
    if (message.headers?.code !== 503) return;
    this.#requester.nobody(Number(message.subject.slice(message.subject.lastIndexOf('.') + 1)));
  }

  #publish(subject: string, data: Uint8Array, reply?: string): void {
    if (!this.#link.up) return;
    this.#count(data);
    this.#link.publish(subject, data, reply);
  }

  #publishReply(subject: string, data: Uint8Array): void {
    if (!this.#link.up) return;
    this.#count(data);
    this.#link.publishReply(subject, data);
  }

  #count(data: Uint8Array): void {
    this.stats.framesOut++;
    this.stats.bytesOut += data.byteLength;
  }

  #control(to: string, type: BusControlMessageType, ...rest: unknown[]): void {
    this.#publish(controlInboxOfBusClient(to), encodeBusFrameHead(BUS_FRAME_KIND_CONTROL, [this.id, type, ...rest]));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // The frame is sent after the poll phase, so that requests from all sockets of this event-loop turn share it.
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#closed) return;
      this.#responder.flush();
      if (!this.#link.up) return;
      this.#requester.flush();
      this.#tellServed();
    });
  }

  #tellServed(): void {
    const begun = this.#hints.takeAnnouncements();
    if (begun.length > 0) {
      this.#publish(
        SERVED_SUBJECTS_ANNOUNCEMENT,
        encodeBusFrameHead(BUS_FRAME_KIND_CONTROL, [this.id, 'served' satisfies BusControlMessageType, begun]),
      );
    }
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    // If this process stalled, messages of the other processes are still unread: the stall doesn't count as their
    // silence.
    const elapsed = Math.min(now - this.#lastTick, 1.5 * TICK_MS);
    this.#lastTick = now;
    const beat = ++this.#ticks % TICKS_PER_BEAT === 0;
    this.#transfers.tick(elapsed);
    for (const from of this.#transfers.senders()) this.#requester.heard(from);
    this.#requester.tick(elapsed, beat);
    this.#responder.tick(elapsed, beat);
  }
}
