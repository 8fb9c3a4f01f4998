/** State and services shared by the requester and the responder of a NatsBus. */
import type { TimerWheel } from '#base/clock';
import type { BusStats } from './bus.js';
import type { NatsConnectionPair } from './bus-nats-link.js';
import type { ChunkedBusTransfers } from './bus-nats-transfers.js';

/** Milliseconds of silence after which a server counts as lost, and the requests it holds fail. */
export const BUS_SERVER_SILENCE_TIMEOUT_MS = 2_500;
export const BUS_CLIENT_SILENCE_TIMEOUT_MS = 5_000;
/** Milliseconds without a request in flight after which the state kept about another client or server is dropped. */
export const FORGET_IDLE_BUS_PEER_AFTER_MS = 60_000;

export type BusControlMessageType = 'alive' | 'cancel' | 'credit' | 'served';

export const makeEmptyBusStats = (): BusStats => ({
  framesOut: 0,
  framesIn: 0,
  bytesOut: 0,
  bytesIn: 0,
  requestsOut: 0,
  repliesOut: 0,
  repliesDropped: 0,
  frameGaps: 0,
  transfersOut: 0,
  malformedFrames: 0,
  failedRequestsByReason: { nobody: 0, timeout: 0, disconnected: 0 },
});

export interface NatsBusContext {
  readonly id: string;
  readonly connectionPair: NatsConnectionPair;
  readonly transfers: ChunkedBusTransfers;
  readonly deadlines: TimerWheel;
  readonly stats: BusStats;
  /** Schedules the sending of everything queued, at the end of this turn of the event loop. */
  scheduleFlush(): void;
  publish(subject: string, data: Uint8Array, reply?: string): void;
  publishReply(subject: string, data: Uint8Array): void;
  sendControlMessage(to: string, type: BusControlMessageType, ...rest: unknown[]): void;
}
