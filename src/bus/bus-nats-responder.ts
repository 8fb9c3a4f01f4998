import type { Deadline } from '../clock/deadlines.js';
import type { Json } from '../core/index.js';
import { crashOnThrow } from '../nats/index.js';
import type { BusRequest } from './bus.js';
import { CLIENT_SILENT_MS, FORGET_MS, type NatsBusContext } from './bus-nats-context.js';
import { FrameWriter, KIND_OPEN, KIND_REPLIES, MAX_FRAME_BYTES, replyInbox, writeHead } from './bus-nats-frame.js';
import { RequestDelivery } from './bus-shared.js';

/** A client as a server sees it. */
interface ClientPeer {
  readonly id: string;
  /** Frames sent to it. */
  frames: number;
  /** Numbers of its frames that it does not know to have arrived. */
  acks: number[];
  replies: [NatsDelivery, Json][];
  readonly deliveries: Map<number, NatsDelivery>;
  silent: number;
}

class NatsDelivery extends RequestDelivery implements Deadline {
  bucket: Set<Deadline> | undefined;

  constructor(
    readonly responder: Responder,
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

/** The side of a NatsBus that answers. */
export class Responder {
  readonly #bus: NatsBusContext;
  readonly #clients = new Map<string, ClientPeer>();
  readonly #dirty = new Set<ClientPeer>();

  constructor(bus: NatsBusContext) {
    this.#bus = bus;
  }

  /** @param entries id, deadline (ms from now) and value of each request */
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
      const held = new NatsDelivery(this, peer, id, entries[i + 2] as Json);
      peer.deliveries.set(id, held);
      this.#bus.deadlines.add(held, entries[i + 1] as number);
      crashOnThrow(() => handler(held));
    }
    this.cancel(from, cancels);
  }

  cancel(from: string, ids: readonly number[]): void {
    const peer = this.heard(from);
    for (const id of ids) {
      const held = peer?.deliveries.get(id);
      if (held) crashOnThrow(() => held.cancel());
    }
  }

  heard(from: string): ClientPeer | undefined {
    const peer = this.#clients.get(from);
    if (peer) peer.silent = 0;
    return peer;
  }

  answered(held: NatsDelivery, value: Json): void {
    this.release(held);
    held.peer.replies.push([held, value]);
    this.#dirty.add(held.peer);
    this.#bus.schedule();
  }

  flush(): void {
    for (const peer of this.#dirty) while (peer.replies.length > 0) this.#send(peer, false);
    this.#dirty.clear();
  }

  /** @param elapsed milliseconds in which something could have been heard */
  tick(elapsed: number, beat: boolean): void {
    for (const peer of [...this.#clients.values()]) {
      peer.silent += elapsed;
      if (peer.deliveries.size > 0 && peer.silent > CLIENT_SILENT_MS) {
        for (const held of [...peer.deliveries.values()]) crashOnThrow(() => held.cancel());
      } else if (peer.deliveries.size === 0 && peer.silent > FORGET_MS) this.#clients.delete(peer.id);
      if (beat && (peer.deliveries.size > 0 || peer.acks.length > 0)) this.#send(peer, false);
    }
  }

  /** Tell the clients that nothing more will come. */
  bye(): void {
    this.flush();
    for (const peer of this.#clients.values()) {
      if (peer.deliveries.size > 0 || peer.acks.length > 0) this.#send(peer, true);
    }
    this.abandon();
  }

  abandon(): void {
    for (const peer of this.#clients.values()) {
      for (const held of peer.deliveries.values()) {
        this.#bus.deadlines.remove(held);
        held.abandon();
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

  /** @internal */
  release(held: NatsDelivery): void {
    this.#bus.deadlines.remove(held);
    held.peer.deliveries.delete(held.id);
  }

  #send(peer: ClientPeer, bye: boolean): void {
    const writer = new FrameWriter();
    const entries: unknown[] = [];
    let taken = 0;
    while (taken < peer.replies.length && !writer.full) {
      const [held, value] = peer.replies[taken++]!;
      entries.push(held.id, writer.take(value));
    }
    peer.replies = peer.replies.slice(taken);
    const acks = peer.acks;
    peer.acks = [];
    const n = ++peer.frames;
    if (!this.#bus.link.up) {
      // The number is used up: the client will see that something is missing.
      this.#bus.stats.repliesDropped += taken;
      return;
    }
    this.#bus.stats.repliesOut += taken;
    const data = writer.finish(KIND_REPLIES, [n, this.#bus.id, acks, entries, bye]);
    if (data.byteLength <= MAX_FRAME_BYTES) {
      this.#bus.publishReply(replyInbox(peer.id), data);
      return;
    }
    this.#bus.stats.transfersOut++;
    // A transfer that fails here fails there too: the client notices the silence.
    const transfer = this.#bus.transfers.send('reply', data, () => {});
    const open = writeHead(KIND_OPEN, [n, this.#bus.id, transfer, data.byteLength, acks]);
    this.#bus.publishReply(replyInbox(peer.id), open);
  }
}
