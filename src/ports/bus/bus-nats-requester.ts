/**
 * Requests over NATS: a subject per partition, frames with numbers to the host that serves it, heartbeats. A request
 * fails as 'disconnected' when its host is silent for BUS_SERVER_SILENCE_TIMEOUT_MS, when a frame is missing, or when
 * another server takes the subject.
 */
import type { Json } from '#base';
import type { TimerWheelEntry } from '#base/clock';
import { encodeFrameWithoutBlobs, FrameWriter } from '#ports/wire';
import { BusError, type BusFailureReason, type PendingBusReply } from './bus.js';
import {
  BUS_SERVER_SILENCE_TIMEOUT_MS,
  FORGET_IDLE_BUS_PEER_AFTER_MS,
  type NatsBusContext,
} from './bus-nats-context.js';
import {
  BUS_FRAME_KIND_OPEN_TRANSFER,
  BUS_FRAME_KIND_REQUESTS,
  MAX_UNSPLIT_BUS_FRAME_BYTES,
  noResponderInboxOfFrame,
} from './bus-nats-frame.js';

class NatsPendingReply implements TimerWheelEntry, PendingBusReply {
  readonly reply: Promise<Json>;
  timerWheelBucket: Set<TimerWheelEntry> | undefined;
  isSettled = false;
  isSent = false;
  /** The server that confirmed the request; undefined until then. */
  confirmingServer: BusServerPeer | undefined;
  resolveReply!: (value: Json) => void;
  rejectReply!: (error: BusError) => void;

  constructor(
    readonly requester: NatsBusRequester,
    readonly id: number,
    readonly subject: string,
    readonly deadlineMs: number,
    public value: Json | undefined,
  ) {
    this.reply = new Promise<Json>((resolve, reject) => {
      this.resolveReply = resolve;
      this.rejectReply = reject;
    });
  }

  cancel(): void {
    this.requester.cancelRequest(this);
  }

  expire(): void {
    this.requester.settleRequest(this, 'timeout');
  }
}

/** Queued requests to one subject, in order. A lane is busy while one of its frames is being transferred in chunks. */
interface SubjectRequestLane {
  queuedRequests: NatsPendingReply[];
  canceledRequestIds: number[];
  isTransferring: boolean;
}

/** A sent frame that no server has confirmed yet. */
interface UnconfirmedRequestFrame {
  readonly subject: string;
  readonly requests: readonly NatsPendingReply[];
  transferId: number;
  silentMs: number;
}

interface BusServerPeer {
  readonly id: string;
  /** Number of the last frame received from this server. */
  lastFrameNumber: number;
  silentMs: number;
  readonly pendingReplies: Set<NatsPendingReply>;
  canceledRequestIds: number[];
}

/** The requesting half of a NatsBus. */
export class NatsBusRequester {
  readonly #busContext: NatsBusContext;
  readonly #lanesBySubject = new Map<string, SubjectRequestLane>();
  readonly #subjectsToFlush = new Set<string>();
  readonly #pendingRepliesById = new Map<number, NatsPendingReply>();
  readonly #unconfirmedFramesByNumber = new Map<number, UnconfirmedRequestFrame>();
  readonly #serversById = new Map<string, BusServerPeer>();
  /** The server that last confirmed a frame, by subject. A gap in its frames may hide confirmations of later frames. */
  readonly #lastConfirmingServerIdBySubject = new Map<string, string>();
  #lastRequestId = 0;
  #lastSentFrameNumber = 0;

  constructor(bus: NatsBusContext) {
    this.#busContext = bus;
  }

  request(subject: string, value: Json, deadlineMs: number): PendingBusReply {
    const pending = new NatsPendingReply(this, ++this.#lastRequestId, subject, deadlineMs, value);
    this.#pendingRepliesById.set(pending.id, pending);
    if (this.#busContext.connectionPair.isUp) {
      this.#busContext.deadlines.addAfter(pending, deadlineMs);
      this.#findOrCreateLane(subject).queuedRequests.push(pending);
      this.#scheduleSubjectFlush(subject);
    } else this.settleRequest(pending, 'disconnected');
    return pending;
  }

  settleRequest(pending: NatsPendingReply, outcome: BusFailureReason | 'cancelled' | { value: Json }): void {
    if (pending.isSettled) return;
    pending.isSettled = true;
    pending.value = undefined;
    this.#pendingRepliesById.delete(pending.id);
    this.#busContext.deadlines.remove(pending);
    pending.confirmingServer?.pendingReplies.delete(pending);
    if (typeof outcome === 'object') pending.resolveReply(outcome.value);
    else if (outcome !== 'cancelled') {
      this.#busContext.stats.failedRequestsByReason[outcome]++;
      pending.rejectReply(new BusError(outcome, `${outcome}: ${pending.subject}`));
    }
  }

  /** Fails all requests in flight: the connection is lost, or about to be closed. */
  failAllRequests(): void {
    this.#failAndCancelRequests([...this.#pendingRepliesById.values()]);
    for (const frame of [...this.#unconfirmedFramesByNumber.values()])
      if (frame.transferId > 0) this.#busContext.transfers.abortOutgoingTransfer(frame.transferId);
    this.#unconfirmedFramesByNumber.clear();
  }

  /** Resolves requests with the replies of a server. @param replies id and value of each reply, alternating */
  handleReplies(from: string, replies: readonly unknown[]): void {
    this.resetServerSilence(from);
    for (let i = 0; i < replies.length; i += 2) {
      const pending = this.#pendingRepliesById.get(replies[i] as number);
      if (pending) this.settleRequest(pending, { value: replies[i + 1] as Json });
    }
  }

  resetServerSilence(from: string): void {
    const server = this.#serversById.get(from);
    if (server) server.silentMs = 0;
  }

  /** Handles a server's announcement that it is closing. */
  handleServerClosing(from: string): void {
    this.failRequestsHeldByServer(from);
    this.#serversById.delete(from);
  }

  /**
   * Handles the frame number and the confirmations of a frame. They arrive in order even if the frame's body follows in
   * chunks.
   */
  handleFrameConfirmations(from: string, n: number, acks: readonly number[]): void {
    let server = this.#serversById.get(from);
    if (!server) {
      server = { id: from, lastFrameNumber: n - 1, silentMs: 0, pendingReplies: new Set(), canceledRequestIds: [] };
      this.#serversById.set(from, server);
    }
    server.silentMs = 0;
    // Number 1 is no gap: the server had forgotten this client after a long silence, and counts from the start again.
    const gap = n !== server.lastFrameNumber + 1 && n !== 1;
    server.lastFrameNumber = n;
    for (const ack of acks) this.#confirmFrame(server, ack);
    if (gap) {
      this.#busContext.stats.frameGaps++;
      this.failRequestsHeldByServer(from);
    }
  }

  /**
   * Fails all requests held by a server whose frames were lost: any of them may have been answered (unknown outcome).
   */
  failRequestsHeldByServer(id: string): void {
    const server = this.#serversById.get(id);
    if (server) this.#failAndCancelRequests([...server.pendingReplies]);
    for (const [n, frame] of this.#unconfirmedFramesByNumber) {
      if (frame.transferId > 0 || this.#lastConfirmingServerIdBySubject.get(frame.subject) !== id) continue;
      this.#unconfirmedFramesByNumber.delete(n);
      this.#failAndCancelRequests(frame.requests);
    }
  }

  /** Fails requests to these subjects that another server holds: the other server is dead, or about to stop serving. */
  failRequestsHeldByOtherServers(from: string, subjects: ReadonlySet<string>): void {
    for (const server of this.#serversById.values()) {
      if (server.id === from) continue;
      this.#failAndCancelRequests([...server.pendingReplies].filter(({ subject }) => subjects.has(subject)));
    }
    for (const [n, frame] of this.#unconfirmedFramesByNumber) {
      // A frame sent since the last tick may well have reached the new server.
      if (frame.silentMs === 0 || frame.transferId > 0 || !subjects.has(frame.subject)) continue;
      this.#unconfirmedFramesByNumber.delete(n);
      this.#failAndCancelRequests(frame.requests);
    }
  }

  handleNoServerForFrame(n: number): void {
    const frame = this.#unconfirmedFramesByNumber.get(n);
    if (!frame) return;
    this.#unconfirmedFramesByNumber.delete(n);
    for (const pending of frame.requests) this.settleRequest(pending, 'nobody');
    if (frame.transferId > 0) this.#busContext.transfers.abortOutgoingTransfer(frame.transferId);
  }

  /** Checks the servers for silence. @param elapsed milliseconds in which this process could have received messages */
  checkServersAndSendHeartbeats(elapsed: number, tellAlive: boolean): void {
    for (const [n, frame] of this.#unconfirmedFramesByNumber) {
      frame.silentMs += elapsed;
      // A frame sent as a transfer has a time limit of its own.
      if (frame.silentMs <= BUS_SERVER_SILENCE_TIMEOUT_MS || frame.transferId > 0) continue;
      this.#unconfirmedFramesByNumber.delete(n);
      this.#failAndCancelRequests(frame.requests);
    }
    for (const server of [...this.#serversById.values()]) {
      server.silentMs += elapsed;
      if (server.pendingReplies.size > 0) {
        if (server.silentMs > BUS_SERVER_SILENCE_TIMEOUT_MS) this.#failAndCancelRequests([...server.pendingReplies]);
        else if (tellAlive) this.#busContext.sendControlMessage(server.id, 'alive');
      } else if (server.silentMs > FORGET_IDLE_BUS_PEER_AFTER_MS) this.#serversById.delete(server.id);
    }
  }

  sendQueuedRequestsAndCancels(): void {
    const dirty = [...this.#subjectsToFlush];
    this.#subjectsToFlush.clear();
    for (const subject of dirty) {
      const lane = this.#lanesBySubject.get(subject)!;
      while (!lane.isTransferring && (lane.queuedRequests.length > 0 || lane.canceledRequestIds.length > 0))
        this.#sendNextFrame(subject, lane);
      if (!lane.isTransferring) this.#lanesBySubject.delete(subject);
    }
    for (const server of this.#serversById.values()) {
      if (server.canceledRequestIds.length === 0) continue;
      this.#busContext.sendControlMessage(server.id, 'cancel', server.canceledRequestIds);
      server.canceledRequestIds = [];
    }
  }

  #findOrCreateLane(subject: string): SubjectRequestLane {
    let lane = this.#lanesBySubject.get(subject);
    if (!lane) {
      lane = { queuedRequests: [], canceledRequestIds: [], isTransferring: false };
      this.#lanesBySubject.set(subject, lane);
    }
    return lane;
  }

  #scheduleSubjectFlush(subject: string): void {
    this.#subjectsToFlush.add(subject);
    this.#busContext.scheduleFlush();
  }

  #sendNextFrame(subject: string, lane: SubjectRequestLane): void {
    const writer = new FrameWriter();
    const requests: NatsPendingReply[] = [];
    const entries: unknown[] = [];
    let taken = 0;
    while (taken < lane.queuedRequests.length && !writer.isFull) {
      const pending = lane.queuedRequests[taken++]!;
      if (pending.isSettled) continue;
      entries.push(pending.id, pending.deadlineMs, writer.addValueAndExtractBlobs(pending.value));
      requests.push(pending);
      pending.isSent = true;
      pending.value = undefined;
    }
    lane.queuedRequests = lane.queuedRequests.slice(taken);
    const cancels = lane.canceledRequestIds;
    lane.canceledRequestIds = [];
    if (requests.length === 0) {
      // A frame with only cancels needs no confirmation: it doesn't matter if there is no server.
      if (cancels.length > 0) {
        this.#busContext.publish(
          subject,
          encodeFrameWithoutBlobs(BUS_FRAME_KIND_REQUESTS, [0, this.#busContext.id, [], cancels]),
        );
      }
      return;
    }
    const n = ++this.#lastSentFrameNumber;
    const frame: UnconfirmedRequestFrame = { subject, requests, transferId: 0, silentMs: 0 };
    this.#unconfirmedFramesByNumber.set(n, frame);
    this.#busContext.stats.requestsOut += requests.length;
    let data = writer.encodeFrame(BUS_FRAME_KIND_REQUESTS, [n, this.#busContext.id, entries, cancels]);
    if (data.byteLength > MAX_UNSPLIT_BUS_FRAME_BYTES) {
      data = this.#startTransferAndEncodeOpening(subject, lane, n, frame, data);
    }
    this.#busContext.publish(subject, data, noResponderInboxOfFrame(this.#busContext.id, n));
  }

  #startTransferAndEncodeOpening(
    subject: string,
    lane: SubjectRequestLane,
    n: number,
    frame: UnconfirmedRequestFrame,
    body: Buffer,
  ): Buffer {
    lane.isTransferring = true;
    this.#busContext.stats.transfersOut++;
    const done = (complete: boolean): void => {
      frame.transferId = 0;
      frame.silentMs = 0;
      if (!complete) {
        this.#unconfirmedFramesByNumber.delete(n);
        this.#failAndCancelRequests(frame.requests);
      }
      lane.isTransferring = false;
      this.#scheduleSubjectFlush(subject);
    };
    frame.transferId = this.#busContext.transfers.prepareOutgoingTransfer('request', body, done);
    return encodeFrameWithoutBlobs(BUS_FRAME_KIND_OPEN_TRANSFER, [
      n,
      this.#busContext.id,
      frame.transferId,
      body.byteLength,
    ]);
  }

  #confirmFrame(server: BusServerPeer, n: number): void {
    const frame = this.#unconfirmedFramesByNumber.get(n);
    if (!frame) return;
    this.#unconfirmedFramesByNumber.delete(n);
    this.#lastConfirmingServerIdBySubject.set(frame.subject, server.id);
    for (const pending of frame.requests) {
      if (pending.isSettled) continue;
      pending.confirmingServer = server;
      server.pendingReplies.add(pending);
    }
  }

  /** Fails the requests (unknown outcome), and tells the server to release them if it is still alive. */
  #failAndCancelRequests(requests: readonly NatsPendingReply[]): void {
    for (const pending of requests) {
      if (pending.isSettled) continue;
      this.settleRequest(pending, 'disconnected');
      this.#queueCancelForServer(pending);
    }
  }

  /** Cancels a request and releases it at its server. @internal */
  cancelRequest(pending: NatsPendingReply): void {
    if (pending.isSettled) return;
    this.settleRequest(pending, 'cancelled');
    this.#queueCancelForServer(pending);
  }

  #queueCancelForServer(pending: NatsPendingReply): void {
    if (pending.confirmingServer) {
      pending.confirmingServer.canceledRequestIds.push(pending.id);
      this.#busContext.scheduleFlush();
    } else if (pending.isSent) {
      this.#findOrCreateLane(pending.subject).canceledRequestIds.push(pending.id);
      this.#scheduleSubjectFlush(pending.subject);
    }
  }
}
