/**
 * Requests over NATS: one subject per host, frames with numbers, heartbeats. A request fails as 'disconnected' when its
 * host is silent for BUS_SERVER_SILENCE_TIMEOUT_MS, when a frame is missing, or when another server takes the subject.
 */
import type { Json } from '#base';
import type { TimerWheelEntry } from '#base/clock';
import { BusError, type BusFailureReason, type PendingBusReply } from './bus.js';
import {
  BUS_SERVER_SILENCE_TIMEOUT_MS,
  FORGET_IDLE_BUS_PEER_AFTER_MS,
  type NatsBusContext,
} from './bus-nats-context.js';
import {
  BUS_FRAME_KIND_OPEN_TRANSFER,
  BUS_FRAME_KIND_REQUESTS,
  BusFrameWriter,
  encodeBusFrameHead,
  MAX_BUS_FRAME_BYTES,
  noResponderInboxOfFrame,
} from './bus-nats-frame.js';

class NatsPendingReply implements TimerWheelEntry, PendingBusReply {
  readonly reply: Promise<Json>;
  bucket: Set<TimerWheelEntry> | undefined;
  settled = false;
  sent = false;
  /** The server that confirmed the request; undefined until then. */
  server: ServerPeer | undefined;
  resolve!: (value: Json) => void;
  reject!: (error: BusError) => void;

  constructor(
    readonly requester: NatsBusRequester,
    readonly id: number,
    readonly subject: string,
    readonly deadlineMs: number,
    public value: Json | undefined,
  ) {
    this.reply = new Promise<Json>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  cancel(): void {
    this.requester.cancel(this);
  }

  expire(): void {
    this.requester.settle(this, 'timeout');
  }
}

/** Queued requests to one subject, in order. A lane is busy while one of its frames is being transferred in chunks. */
interface SubjectLane {
  queue: NatsPendingReply[];
  cancels: number[];
  busy: boolean;
}

/** A sent frame that no server has confirmed yet. */
interface SentFrame {
  readonly subject: string;
  readonly requests: readonly NatsPendingReply[];
  transfer: number;
  silent: number;
}

interface ServerPeer {
  readonly id: string;
  /** Number of the last frame received from this server. */
  last: number;
  silent: number;
  readonly pending: Set<NatsPendingReply>;
  cancels: number[];
}

/** The requesting half of a NatsBus. */
export class NatsBusRequester {
  readonly #bus: NatsBusContext;
  readonly #lanes = new Map<string, SubjectLane>();
  readonly #dirty = new Set<string>();
  readonly #pending = new Map<number, NatsPendingReply>();
  readonly #sent = new Map<number, SentFrame>();
  readonly #servers = new Map<string, ServerPeer>();
  /** The server that last confirmed a frame, by subject. A gap in its frames may hide confirmations of later frames. */
  readonly #lastServer = new Map<string, string>();
  #ids = 0;
  #frames = 0;

  constructor(bus: NatsBusContext) {
    this.#bus = bus;
  }

  request(subject: string, value: Json, deadlineMs: number): PendingBusReply {
    const pending = new NatsPendingReply(this, ++this.#ids, subject, deadlineMs, value);
    this.#pending.set(pending.id, pending);
    if (this.#bus.link.up) {
      this.#bus.deadlines.addAfter(pending, deadlineMs);
      this.#lane(subject).queue.push(pending);
      this.#touch(subject);
    } else this.settle(pending, 'disconnected');
    return pending;
  }

  settle(pending: NatsPendingReply, outcome: BusFailureReason | 'cancelled' | { value: Json }): void {
    if (pending.settled) return;
    pending.settled = true;
    pending.value = undefined;
    this.#pending.delete(pending.id);
    this.#bus.deadlines.remove(pending);
    pending.server?.pending.delete(pending);
    if (typeof outcome === 'object') pending.resolve(outcome.value);
    else if (outcome !== 'cancelled') {
      this.#bus.stats.failed[outcome]++;
      pending.reject(new BusError(outcome, `${outcome}: ${pending.subject}`));
    }
  }

  /** Fails all requests in flight: the connection is lost, or about to be closed. */
  failAll(): void {
    this.#fail([...this.#pending.values()]);
    for (const frame of [...this.#sent.values()]) if (frame.transfer > 0) this.#bus.transfers.abort(frame.transfer);
    this.#sent.clear();
  }

  /** Resolves requests with the replies of a server. @param replies id and value of each reply, alternating */
  replies(from: string, replies: readonly unknown[]): void {
    this.heard(from);
    for (let i = 0; i < replies.length; i += 2) {
      const pending = this.#pending.get(replies[i] as number);
      if (pending) this.settle(pending, { value: replies[i + 1] as Json });
    }
  }

  heard(from: string): void {
    const server = this.#servers.get(from);
    if (server) server.silent = 0;
  }

  /** Handles a server's announcement that it is closing. */
  gone(from: string): void {
    this.failServer(from);
    this.#servers.delete(from);
  }

  /**
   * Handles the frame number and the confirmations of a frame. They arrive in order even if the frame's body follows in
   * chunks.
   */
  announced(from: string, n: number, acks: readonly number[]): void {
    let server = this.#servers.get(from);
    if (!server) {
      server = { id: from, last: n - 1, silent: 0, pending: new Set(), cancels: [] };
      this.#servers.set(from, server);
    }
    server.silent = 0;
    // Number 1 is no gap: the server had forgotten this client after a long silence, and counts from the start again.
    const gap = n !== server.last + 1 && n !== 1;
    server.last = n;
    for (const ack of acks) this.#confirm(server, ack);
    if (gap) {
      this.#bus.stats.gaps++;
      this.failServer(from);
    }
  }

  /**
   * Fails all requests held by a server whose frames were lost: any of them may have been answered (unknown outcome).
   */
  failServer(id: string): void {
    const server = this.#servers.get(id);
    if (server) this.#fail([...server.pending]);
    for (const [n, frame] of this.#sent) {
      if (frame.transfer > 0 || this.#lastServer.get(frame.subject) !== id) continue;
      this.#sent.delete(n);
      this.#fail(frame.requests);
    }
  }

  /** Fails requests to these subjects that another server holds: the other server is dead, or about to stop serving. */
  served(from: string, subjects: ReadonlySet<string>): void {
    for (const server of this.#servers.values()) {
      if (server.id === from) continue;
      this.#fail([...server.pending].filter(({ subject }) => subjects.has(subject)));
    }
    for (const [n, frame] of this.#sent) {
      // A frame sent since the last tick may well have reached the new server.
      if (frame.silent === 0 || frame.transfer > 0 || !subjects.has(frame.subject)) continue;
      this.#sent.delete(n);
      this.#fail(frame.requests);
    }
  }

  nobody(n: number): void {
    const frame = this.#sent.get(n);
    if (!frame) return;
    this.#sent.delete(n);
    for (const pending of frame.requests) this.settle(pending, 'nobody');
    if (frame.transfer > 0) this.#bus.transfers.abort(frame.transfer);
  }

  /** Checks the servers for silence. @param elapsed milliseconds in which this process could have received messages */
  tick(elapsed: number, tellAlive: boolean): void {
    for (const [n, frame] of this.#sent) {
      frame.silent += elapsed;
      // A frame sent as a transfer has a time limit of its own.
      if (frame.silent <= BUS_SERVER_SILENCE_TIMEOUT_MS || frame.transfer > 0) continue;
      this.#sent.delete(n);
      this.#fail(frame.requests);
    }
    for (const server of [...this.#servers.values()]) {
      server.silent += elapsed;
      if (server.pending.size > 0) {
        if (server.silent > BUS_SERVER_SILENCE_TIMEOUT_MS) this.#fail([...server.pending]);
        else if (tellAlive) this.#bus.control(server.id, 'alive');
      } else if (server.silent > FORGET_IDLE_BUS_PEER_AFTER_MS) this.#servers.delete(server.id);
    }
  }

  flush(): void {
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    for (const subject of dirty) {
      const lane = this.#lanes.get(subject)!;
      while (!lane.busy && (lane.queue.length > 0 || lane.cancels.length > 0)) this.#send(subject, lane);
      if (!lane.busy) this.#lanes.delete(subject);
    }
    for (const server of this.#servers.values()) {
      if (server.cancels.length === 0) continue;
      this.#bus.control(server.id, 'cancel', server.cancels);
      server.cancels = [];
    }
  }

  #lane(subject: string): SubjectLane {
    let lane = this.#lanes.get(subject);
    if (!lane) {
      lane = { queue: [], cancels: [], busy: false };
      this.#lanes.set(subject, lane);
    }
    return lane;
  }

  #touch(subject: string): void {
    this.#dirty.add(subject);
    this.#bus.schedule();
  }

  #send(subject: string, lane: SubjectLane): void {
    const writer = new BusFrameWriter();
    const requests: NatsPendingReply[] = [];
    const entries: unknown[] = [];
    let taken = 0;
    while (taken < lane.queue.length && !writer.full) {
      const pending = lane.queue[taken++]!;
      if (pending.settled) continue;
      entries.push(pending.id, pending.deadlineMs, writer.take(pending.value));
      requests.push(pending);
      pending.sent = true;
      pending.value = undefined;
    }
    lane.queue = lane.queue.slice(taken);
    const cancels = lane.cancels;
    lane.cancels = [];
    if (requests.length === 0) {
      // A frame with only cancels needs no confirmation: it doesn't matter if there is no server.
      if (cancels.length > 0) {
        this.#bus.publish(subject, encodeBusFrameHead(BUS_FRAME_KIND_REQUESTS, [0, this.#bus.id, [], cancels]));
      }
      return;
    }
    const n = ++this.#frames;
    const frame: SentFrame = { subject, requests, transfer: 0, silent: 0 };
    this.#sent.set(n, frame);
    this.#bus.stats.requestsOut += requests.length;
    let data = writer.finish(BUS_FRAME_KIND_REQUESTS, [n, this.#bus.id, entries, cancels]);
    if (data.byteLength > MAX_BUS_FRAME_BYTES) {
      data = this.#transfer(subject, lane, n, frame, data);
    }
    this.#bus.publish(subject, data, noResponderInboxOfFrame(this.#bus.id, n));
  }

  #transfer(subject: string, lane: SubjectLane, n: number, frame: SentFrame, body: Buffer): Buffer {
    lane.busy = true;
    this.#bus.stats.transfersOut++;
    const done = (complete: boolean): void => {
      frame.transfer = 0;
      frame.silent = 0;
      if (!complete) {
        this.#sent.delete(n);
        this.#fail(frame.requests);
      }
      lane.busy = false;
      this.#touch(subject);
    };
    frame.transfer = this.#bus.transfers.send('request', body, done);
    return encodeBusFrameHead(BUS_FRAME_KIND_OPEN_TRANSFER, [n, this.#bus.id, frame.transfer, body.byteLength]);
  }

  #confirm(server: ServerPeer, n: number): void {
    const frame = this.#sent.get(n);
    if (!frame) return;
    this.#sent.delete(n);
    this.#lastServer.set(frame.subject, server.id);
    for (const pending of frame.requests) {
      if (pending.settled) continue;
      pending.server = server;
      server.pending.add(pending);
    }
  }

  /** Fails the requests (unknown outcome), and tells the server to release them if it is still alive. */
  #fail(requests: readonly NatsPendingReply[]): void {
    for (const pending of requests) {
      if (pending.settled) continue;
      this.settle(pending, 'disconnected');
      this.#giveUp(pending);
    }
  }

  /** Cancels a request and releases it at its server. @internal */
  cancel(pending: NatsPendingReply): void {
    if (pending.settled) return;
    this.settle(pending, 'cancelled');
    this.#giveUp(pending);
  }

  #giveUp(pending: NatsPendingReply): void {
    if (pending.server) {
      pending.server.cancels.push(pending.id);
      this.#bus.schedule();
    } else if (pending.sent) {
      this.#lane(pending.subject).cancels.push(pending.id);
      this.#touch(pending.subject);
    }
  }
}
