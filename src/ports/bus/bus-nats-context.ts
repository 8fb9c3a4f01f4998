/** State and services shared by the requester and the responder of a NatsBus. */
import type { TimerWheel } from '#base/clock';
import type { BusStats } from './bus.js';
import type { NatsLink } from './bus-nats-link.js';
import type { ChunkedTransfers } from './bus-nats-transfers.js';

/** Silence of a server after which the requests it holds fail, milliseconds. */
export const SERVER_SILENCE_TIMEOUT_MS = 2_500;
export const CLIENT_SILENCE_TIMEOUT_MS = 5_000;
/** Idle time (nothing in flight) after which a peer is forgotten, milliseconds. */
export const FORGET_PEER_MS = 60_000;

export type ControlType = 'alive' | 'cancel' | 'credit' | 'served';

export const newBusStats = (): BusStats => ({
  framesOut: 0,
  framesIn: 0,
  bytesOut: 0,
  bytesIn: 0,
  requestsOut: 0,
  repliesOut: 0,
  repliesDropped: 0,
  gaps: 0,
  transfersOut: 0,
  malformed: 0,
  failed: { nobody: 0, timeout: 0, disconnected: 0 },
});

export interface NatsBusContext {
  readonly id: string;
  readonly link: NatsLink;
  readonly transfers: ChunkedTransfers;
  readonly deadlines: TimerWheel;
  readonly stats: BusStats;
  /** Sends everything queued at the end of this tick. */
  schedule(): void;
  publish(subject: string, data: Uint8Array, reply?: string): void;
  publishReply(subject: string, data: Uint8Array): void;
  control(to: string, type: ControlType, ...rest: unknown[]): void;
}
