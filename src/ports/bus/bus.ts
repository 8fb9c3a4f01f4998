/**
 * Bus: requests and replies between frontends and actor hosts.
 *
 * Contract (test/contract/bus.ts runs it against every implementation):
 * - A request is delivered to one server of its subject at most once, in the order in which one client sent them.
 *   Replies may come in any order, once each, at any time before the deadline.
 * - Requests and replies of one tick to the same destination travel as one frame, in both directions. A Uint8Array
 *   that occurs in several replies of a frame (the shared body of a fan-out) is carried once.
 * - Payloads may be of any size (tested to 20 MB); implementations split them.
 * - Failures are told apart: `nobody` (no server for the subject: nothing was executed), `timeout` (unknown outcome),
 *   `disconnected` (the bus itself is away: unknown outcome). All are worth a retry under the same command id.
 * - Values are shared by reference on the local bus: neither side changes them.
 */
import type { Json } from '#base';

export type BusFailure = 'nobody' | 'timeout' | 'disconnected';

export class BusError extends Error {
  override name = 'BusError';
  constructor(
    readonly failure: BusFailure,
    message: string = failure,
  ) {
    super(message);
  }
}

/** @typeParam Reply what the subject's server answers: plain data, as the requester expects it */
export interface BusRequest<Reply = Json> {
  readonly value: Json;
  /** Identity of the requesting bus client, stable for the life of its process. */
  readonly from: string;
  /** Answer once; later calls and calls after the deadline do nothing. May be called at any later time. */
  reply(value: Reply): void;
  /** Called once if the requester is known to have given up (cancelled, or its process is gone). */
  onCancel(fn: () => void): void;
}

export interface BusServer {
  /** Stop taking new requests; resolves when those already delivered by the bus have been handed over. */
  close(): Promise<void>;
}

export interface PendingReply {
  readonly reply: Promise<Json>;
  /** Give up: `reply` never settles, the server is told at the next frame. */
  cancel(): void;
}

export interface BusStats {
  /** Messages of the transport, chunks and control messages included. */
  framesOut: number;
  framesIn: number;
  bytesOut: number;
  bytesIn: number;
  requestsOut: number;
  repliesOut: number;
  /** Replies that could not be sent because the connection was away. */
  repliesDropped: number;
  /** Times a frame of a server was found missing. */
  gaps: number;
  transfersOut: number;
  /** Messages on our subjects that no client of ours can have sent. */
  malformed: number;
  failed: { -readonly [F in BusFailure]: number };
}

export interface Bus {
  /** This client's identity, as servers see it in `BusRequest.from`. */
  readonly id: string;
  serve(subject: string, handler: (request: BusRequest) => void): Promise<BusServer>;
  /** @param deadlineMs from now, on the injected clock; `reply` rejects with BusError. */
  request(subject: string, value: Json, deadlineMs: number): PendingReply;
  /**
   * Called when somebody has begun to serve a subject; who waits for that need not ask again and again. A hint: it may be
   * lost, and may come for a server that has gone since.
   */
  onServed(fn: (subject: string) => void): void;
  /** Called when the connection was lost and is back: requests under way may have been lost with it. */
  onReconnect(fn: () => void): void;
  readonly connected: boolean;
  /** What went over the wire; absent where there is none. */
  readonly stats?: BusStats | undefined;
  close(): Promise<void>;
}
