import type { Json } from '#base';
import type { TimerWheelEntry } from '#base/clock';
import { crashOnThrow } from '#ports/nats';
import type { BusRequest } from './bus.js';
import {
  BUS_CLIENT_SILENCE_TIMEOUT_MS,
  FORGET_IDLE_BUS_PEER_AFTER_MS,
  type NatsBusContext,
} from './bus-nats-context.js';
import {
  BUS_FRAME_KIND_OPEN_TRANSFER,
  BUS_FRAME_KIND_REPLIES,
  BusFrameWriter,
  encodeBusFrameHead,
  MAX_BUS_FRAME_BYTES,
  replyInboxOfBusClient,
} from './bus-nats-frame.js';
import { BusRequestDelivery } from './bus-shared.js';

/** State that a server keeps about a client that sends requests. */
interface ClientPeer {
  readonly id: string;
  /** Number of frames sent to the client. */
  frames: number;
  /** Numbers of received request frames that the next frame to the client confirms. */
  acks: number[];
  replies: [NatsDelivery, Json][];
  readonly deliveries: Map<number, NatsDelivery>;
  silent: number;
}

class NatsDelivery extends BusRequestDelivery implements TimerWheelEntry {
  bucket: Set<TimerWheelEntry> | undefined;

  constructor(
    readonly responder: NatsBusResponder,
    readonly peer: ClientPeer,
    readonly id: number,
    value: Json,
  ) {
    super(value, peer.id);
  }

  expire(): void {
    this.cancel();
  }

  protected override sendReply(value: Json): void {
    this.responder.answered(this, value);
  }

  protected override release(): void {
    this.responder.release(this);
  }
}

/** The responding half of a NatsBus. */
export class NatsBusResponder {
  readonly #bus: NatsBusContext;
  readonly #clients = new Map<string, ClientPeer>();
  readonly #dirty = new Set<ClientPeer>();

  constructor(bus: NatsBusContext) {
    this.#bus = bus;
  }

  /** Handles a frame of requests. @param entries id, deadline (ms from now) and value of each request */
  frame(
    from: string,
    n: number,
    entries: readonly unknown[],
    cancels: readonly number[],
    handler: (request: BusRequest) => void,
  ): void {
    const peer = this.#client(from);
    if (n > 0) peer.acks.push(n);
    for (let i = 0; i < entries.length; i += 3) {
      const id = entries[i] as number;
      const delivery = new NatsDelivery(this, peer, id, entries[i + 2] as Json);
      peer.deliveries.set(id, delivery);
      this.#bus.deadlines.addAfter(delivery, entries[i + 1] as number);
      crashOnThrow(() => handler(delivery));
    }
    this.cancel(from, cancels);
  }

  cancel(from: string, ids: readonly number[]): void {
    const peer = this.heard(from);
    for (const id of ids) {
      const delivery = peer?.deliveries.get(id);
      if (delivery) crashOnThrow(() => delivery.cancel());
    }
  }

  heard(from: string): ClientPeer | undefined {
    const peer = this.#clients.get(from);
    if (peer) peer.silent = 0;
    return peer;
  }

  answered(delivery: NatsDelivery, value: Json): void {
    this.release(delivery);
    delivery.peer.replies.push([delivery, value]);
    this.#dirty.add(delivery.peer);
    this.#bus.schedule();
  }

  flush(): void {
    for (const peer of this.#dirty) while (peer.replies.length > 0) this.#send(peer, false);
    this.#dirty.clear();
  }

  /** Checks the clients for silence. @param elapsed milliseconds in which this process could have received messages */
  tick(elapsed: number, beat: boolean): void {
    for (const peer of [...this.#clients.values()]) {
      peer.silent += elapsed;
      if (peer.deliveries.size > 0 && peer.silent > BUS_CLIENT_SILENCE_TIMEOUT_MS) {
        for (const delivery of [...peer.deliveries.values()]) crashOnThrow(() => delivery.cancel());
      } else if (peer.deliveries.size === 0 && peer.silent > FORGET_IDLE_BUS_PEER_AFTER_MS)
        this.#clients.delete(peer.id);
      if (beat && (peer.deliveries.size > 0 || peer.acks.length > 0)) this.#send(peer, false);
    }
  }

  /** Announces to the clients that this server sends nothing more. */
  bye(): void {
    this.flush();
    for (const peer of this.#clients.values()) {
      if (peer.deliveries.size > 0 || peer.acks.length > 0) this.#send(peer, true);
    }
    this.abandon();
  }

  abandon(): void {
    for (const peer of this.#clients.values()) {
      for (const delivery of peer.deliveries.values()) {
        this.#bus.deadlines.remove(delivery);
        delivery.abandon();
      }
    }
    this.#clients.clear();
    this.#dirty.clear();
  }

  #client(id: string): ClientPeer {
    let peer = this.#clients.get(id);
    if (!peer) {
      peer = { id, frames: 0, acks: [], replies: [], deliveries: new Map(), silent: 0 };
      this.#clients.set(id, peer);
    }
    peer.silent = 0;
    return peer;
  }

  /** Removes a request that was answered or cancelled. @internal */
  release(delivery: NatsDelivery): void {
    this.#bus.deadlines.remove(delivery);
    delivery.peer.deliveries.delete(delivery.id);
  }

  #send(peer: ClientPeer, bye: boolean): void {
    const writer = new BusFrameWriter();
    const entries: unknown[] = [];
    let taken = 0;
    while (taken < peer.replies.length && !writer.full) {
      const [delivery, value] = peer.replies[taken++]!;
      entries.push(delivery.id, writer.take(value));
    }
    peer.replies = peer.replies.slice(taken);
    const acks = peer.acks;
    peer.acks = [];
    const n = ++peer.frames;
    if (!this.#bus.link.up) {
      // The frame number is used up although the frame is dropped, so the client will notice the gap.
      this.#bus.stats.repliesDropped += taken;
      return;
    }
    this.#bus.stats.repliesOut += taken;
    const data = writer.finish(BUS_FRAME_KIND_REPLIES, [n, this.#bus.id, acks, entries, bye]);
    if (data.byteLength <= MAX_BUS_FRAME_BYTES) {
      this.#bus.publishReply(replyInboxOfBusClient(peer.id), data);
      return;
    }
    this.#bus.stats.transfersOut++;
    // A transfer that fails at this side also fails at the client, which notices the silence.
    const transfer = this.#bus.transfers.send('reply', data, () => {});
    const open = encodeBusFrameHead(BUS_FRAME_KIND_OPEN_TRANSFER, [n, this.#bus.id, transfer, data.byteLength, acks]);
    this.#bus.publishReply(replyInboxOfBusClient(peer.id), open);
  }
}
