import type { Json } from '#base';
import type { TimerWheelEntry } from '#base/clock';
import { crashOnThrow } from '#ports/nats';
import { encodeFrameWithoutBlobs, FrameWriter } from '#ports/wire';
import type { BusRequest } from './bus.js';
import {
  BUS_CLIENT_SILENCE_TIMEOUT_MS,
  FORGET_IDLE_BUS_PEER_AFTER_MS,
  type NatsBusContext,
} from './bus-nats-context.js';
import {
  BUS_FRAME_KIND_OPEN_TRANSFER,
  BUS_FRAME_KIND_REPLIES,
  MAX_UNSPLIT_BUS_FRAME_BYTES,
  replyInboxOfBusClient,
} from './bus-nats-frame.js';
import { BusRequestDelivery } from './bus-shared.js';

/** State that a server keeps about a client that sends requests. */
interface BusClientPeer {
  readonly id: string;
  /** Number of frames sent to the client. */
  sentFrameCount: number;
  /** Numbers of received request frames that the next frame to the client confirms. */
  frameNumbersToConfirm: number[];
  queuedReplies: [NatsRequestDelivery, Json][];
  readonly deliveriesById: Map<number, NatsRequestDelivery>;
  silentMs: number;
}

class NatsRequestDelivery extends BusRequestDelivery implements TimerWheelEntry {
  timerWheelBucket: Set<TimerWheelEntry> | undefined;

  constructor(
    readonly responder: NatsBusResponder,
    readonly peer: BusClientPeer,
    readonly id: number,
    value: Json,
  ) {
    super(value, peer.id);
  }

  expire(): void {
    this.cancel();
  }

  protected override sendReply(value: Json): void {
    this.responder.queueReply(this, value);
  }

  protected override releaseResources(): void {
    this.responder.removeDelivery(this);
  }
}

/** The responding half of a NatsBus. */
export class NatsBusResponder {
  readonly #busContext: NatsBusContext;
  readonly #clientsById = new Map<string, BusClientPeer>();
  readonly #clientsWithQueuedReplies = new Set<BusClientPeer>();

  constructor(bus: NatsBusContext) {
    this.#busContext = bus;
  }

  /** Handles a frame of requests. @param entries id, deadline (ms from now) and value of each request */
  handleRequestFrame(
    from: string,
    n: number,
    entries: readonly unknown[],
    cancels: readonly number[],
    handler: (request: BusRequest) => void,
  ): void {
    const peer = this.#findOrCreateRequestingClient(from);
    if (n > 0) peer.frameNumbersToConfirm.push(n);
    for (let i = 0; i < entries.length; i += 3) {
      const id = entries[i] as number;
      const delivery = new NatsRequestDelivery(this, peer, id, entries[i + 2] as Json);
      peer.deliveriesById.set(id, delivery);
      this.#busContext.deadlines.addAfter(delivery, entries[i + 1] as number);
      crashOnThrow(() => handler(delivery));
    }
    this.cancelRequests(from, cancels);
  }

  cancelRequests(from: string, ids: readonly number[]): void {
    const peer = this.resetClientSilence(from);
    for (const id of ids) {
      const delivery = peer?.deliveriesById.get(id);
      if (delivery) crashOnThrow(() => delivery.cancel());
    }
  }

  resetClientSilence(from: string): BusClientPeer | undefined {
    const peer = this.#clientsById.get(from);
    if (peer) peer.silentMs = 0;
    return peer;
  }

  queueReply(delivery: NatsRequestDelivery, value: Json): void {
    this.removeDelivery(delivery);
    delivery.peer.queuedReplies.push([delivery, value]);
    this.#clientsWithQueuedReplies.add(delivery.peer);
    this.#busContext.scheduleFlush();
  }

  sendQueuedReplies(): void {
    for (const peer of this.#clientsWithQueuedReplies)
      while (peer.queuedReplies.length > 0) this.#sendReplyFrame(peer, false);
    this.#clientsWithQueuedReplies.clear();
  }

  /** Checks the clients for silence. @param elapsed milliseconds in which this process could have received messages */
  checkClientsAndSendHeartbeats(elapsed: number, beat: boolean): void {
    for (const peer of [...this.#clientsById.values()]) {
      peer.silentMs += elapsed;
      if (peer.deliveriesById.size > 0 && peer.silentMs > BUS_CLIENT_SILENCE_TIMEOUT_MS) {
        for (const delivery of [...peer.deliveriesById.values()]) crashOnThrow(() => delivery.cancel());
      } else if (peer.deliveriesById.size === 0 && peer.silentMs > FORGET_IDLE_BUS_PEER_AFTER_MS)
        this.#clientsById.delete(peer.id);
      if (beat && (peer.deliveriesById.size > 0 || peer.frameNumbersToConfirm.length > 0))
        this.#sendReplyFrame(peer, false);
    }
  }

  /** Announces to the clients that this server sends nothing more. */
  announceClosingAndAbandonRequests(): void {
    this.sendQueuedReplies();
    for (const peer of this.#clientsById.values()) {
      if (peer.deliveriesById.size > 0 || peer.frameNumbersToConfirm.length > 0) this.#sendReplyFrame(peer, true);
    }
    this.abandonAllRequests();
  }

  abandonAllRequests(): void {
    for (const peer of this.#clientsById.values()) {
      for (const delivery of peer.deliveriesById.values()) {
        this.#busContext.deadlines.remove(delivery);
        delivery.abandon();
      }
    }
    this.#clientsById.clear();
    this.#clientsWithQueuedReplies.clear();
  }

  #findOrCreateRequestingClient(id: string): BusClientPeer {
    let peer = this.#clientsById.get(id);
    if (!peer) {
      peer = {
        id,
        sentFrameCount: 0,
        frameNumbersToConfirm: [],
        queuedReplies: [],
        deliveriesById: new Map(),
        silentMs: 0,
      };
      this.#clientsById.set(id, peer);
    }
    peer.silentMs = 0;
    return peer;
  }

  /** Removes a request that was answered or cancelled. @internal */
  removeDelivery(delivery: NatsRequestDelivery): void {
    this.#busContext.deadlines.remove(delivery);
    delivery.peer.deliveriesById.delete(delivery.id);
  }

  #sendReplyFrame(peer: BusClientPeer, bye: boolean): void {
    const writer = new FrameWriter();
    const entries: unknown[] = [];
    let taken = 0;
    while (taken < peer.queuedReplies.length && !writer.isFull) {
      const [delivery, value] = peer.queuedReplies[taken++]!;
      entries.push(delivery.id, writer.addValueAndExtractBlobs(value));
    }
    peer.queuedReplies = peer.queuedReplies.slice(taken);
    const acks = peer.frameNumbersToConfirm;
    peer.frameNumbersToConfirm = [];
    const n = ++peer.sentFrameCount;
    if (!this.#busContext.connectionPair.isUp) {
      // The frame number is used up although the frame is dropped, so the client will notice the gap.
      this.#busContext.stats.repliesDropped += taken;
      return;
    }
    this.#busContext.stats.repliesOut += taken;
    const data = writer.encodeFrame(BUS_FRAME_KIND_REPLIES, [n, this.#busContext.id, acks, entries, bye]);
    if (data.byteLength <= MAX_UNSPLIT_BUS_FRAME_BYTES) {
      this.#busContext.publishReply(replyInboxOfBusClient(peer.id), data);
      return;
    }
    this.#busContext.stats.transfersOut++;
    // A transfer that fails at this side also fails at the client, which notices the silence.
    const transfer = this.#busContext.transfers.prepareOutgoingTransfer('reply', data, () => {});
    const open = encodeFrameWithoutBlobs(BUS_FRAME_KIND_OPEN_TRANSFER, [
      n,
      this.#busContext.id,
      transfer,
      data.byteLength,
      acks,
    ]);
    this.#busContext.publishReply(replyInboxOfBusClient(peer.id), open);
  }
}
