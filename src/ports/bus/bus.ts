/**
 * Bus: requests and replies between frontends and actor hosts.
 *
 * Contract (test/contract/bus.ts runs it against every implementation):
 * - A request is delivered to one server of its subject at most once. Requests of one client arrive in the order in
 *   which they were sent. Replies may come in any order, once each, at any time before the deadline.
 * - Requests and replies of one tick to the same destination travel as one frame, in both directions. A Uint8Array that
 *   occurs in several replies of a frame (the shared body of a fan-out) is carried once.
 * - Payloads may have any size (tested to 20 MB); implementations split them.
 * - Failures are distinguished: `nobody` (no server for the subject: nothing was executed), `timeout` (unknown
 *   outcome), `disconnected` (the bus is unreachable, or the server that held the
 *   request fell silent or was replaced: unknown outcome). All may be retried under the same command id.
 * - The local bus passes values by reference: neither side may change them.
 */
import type { Json } from '#base';

export type BusFailureReason = 'nobody' | 'timeout' | 'disconnected';

export class BusError extends Error {
  override name = 'BusError';
  constructor(
    readonly failure: BusFailureReason,
    message: string = failure,
  ) {
    super(message);
  }
}

/** A request at the server that has to answer it. @typeParam Reply type of the server's answer: plain data */
export interface BusRequest<Reply = Json> {
  readonly value: Json;
  /** Identity of the requesting client, which is stable for the life of its process. */
  readonly from: string;
  /** Answers the request, at any later time. A second call, or a call after the deadline, does nothing. */
  reply(value: Reply): void;
  /** Calls `fn` once if the requester is known to have given up (cancelled, or its process is gone). */
  onCancel(fn: () => void): void;
}

export interface BusServerHandle {
  /** Stops accepting requests. Resolves when requests already delivered by the bus have reached the handler. */
  close(): Promise<void>;
}

export interface PendingBusReply {
  readonly reply: Promise<Json>;
  /**
   * Cancels the request: `reply` never settles, and the next frame to the server tells it so (`BusRequest.onCancel`).
   */
  cancel(): void;
}

export interface BusStats {
  /** Number of messages sent over the transport, including chunks and control messages. */
  framesOut: number;
  framesIn: number;
  bytesOut: number;
  bytesIn: number;
  requestsOut: number;
  repliesOut: number;
  /** Number of replies that were dropped because the connection was lost. */
  repliesDropped: number;
  /** Number of gaps found in the numbered frames of servers. */
  frameGaps: number;
  transfersOut: number;
  /** Number of received messages that are invalid: no client of this bus can have sent them. */
  malformedFrames: number;
  failedRequestsByReason: { -readonly [F in BusFailureReason]: number };
}

export interface Bus {
  /** Identity of this client, which the servers see as `BusRequest.from`. */
  readonly id: string;
  serve(subject: string, handler: (request: BusRequest) => void): Promise<BusServerHandle>;
  /**
   * Sends a request. `reply` rejects with BusError.
   * @param deadlineMs milliseconds from now, on the injected clock
   */
  request(subject: string, value: Json, deadlineMs: number): PendingBusReply;
  /**
   * Calls `fn` when a server begins to serve a subject, so that waiting clients can retry at once. The call is only a
   * hint: it may get lost, or name a server that has gone since.
   */
  onSubjectServed(fn: (subject: string) => void): void;
  /** Calls `fn` when a lost connection is back: requests in flight may have been lost. */
  onReconnect(fn: () => void): void;
  readonly connected: boolean;
  /** Traffic counters of the transport; absent for an in-process bus. */
  readonly stats?: BusStats | undefined;
  close(): Promise<void>;
}
