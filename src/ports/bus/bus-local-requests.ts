/** The objects that a LocalBus and its hub exchange: frames, servers, and the two sides of a request. */

import type { Json } from '#base';
import type { TimerWheelEntry } from '#base/clock';
import type { BusError, BusFailureReason, BusRequest, PendingBusReply } from './bus.js';
import { BusRequestDelivery } from './bus-shared.js';

/**
 * One transfer between two clients of a hub: all requests, replies or cancels of one event-loop turn to the same
 * destination.
 */
export interface LocalBusFrame {
  readonly kind: 'request' | 'reply' | 'cancel';
  /** Id of the sending client. */
  readonly senderId: string;
  /** Id of the receiving client; '' for requests to a subject without a server. */
  readonly receiverId: string;
  /** Subject of the requests; '' for replies and cancels. */
  readonly subject: string;
  /** Number of requests, replies or cancels in the frame. */
  readonly itemCount: number;
  /** The requests in the frame. */
  readonly requests?: readonly { readonly value: Json }[];
}

export interface LocalBusSubjectServer {
  readonly subject: string;
  readonly client: LocalBusClient;
  readonly handler: (request: BusRequest) => void;
}

/** The methods of a client that its hub and the other clients call. */
export interface LocalBusClient {
  readonly id: string;
  readonly connected: boolean;
  crash(): void;
  setConnected(connected: boolean): void;
  /** Called when the hub declares the connection to another client silent. */
  failRequestsToSilentServer(server: string): void;
  /** Called when a client of the hub begins to serve `subject`. */
  notifySubjectServed(subject: string): void;
  /** Delivers a request to a handler of this client. */
  deliverRequest(server: LocalBusSubjectServer, pending: LocalBusPendingReply): void;
  settleRequest(pending: LocalBusPendingReply, outcome: BusFailureReason | 'cancelled' | { value: Json }): void;
  cancelRequest(pending: LocalBusPendingReply): void;
  queueReply(delivery: LocalBusRequestDelivery, value: Json): void;
  forgetDelivery(delivery: LocalBusRequestDelivery): void;
}

const NO_DELIVERIES: readonly LocalBusRequestDelivery[] = [];

export class LocalBusPendingReply implements TimerWheelEntry, PendingBusReply {
  readonly reply: Promise<Json>;
  timerWheelBucket: Set<TimerWheelEntry> | undefined;
  isSettled = false;
  /** Deliveries of this request to servers: mostly one, several if a frame was delivered twice. */
  deliveries: readonly LocalBusRequestDelivery[] = NO_DELIVERIES;
  resolveReply!: (value: Json) => void;
  rejectReply!: (error: BusError) => void;

  constructor(
    readonly client: LocalBusClient,
    readonly subject: string,
    readonly value: Json,
  ) {
    this.reply = new Promise<Json>((resolve, reject) => {
      this.resolveReply = resolve;
      this.rejectReply = reject;
    });
  }

  cancel(): void {
    this.client.cancelRequest(this);
  }

  expire(): void {
    this.client.settleRequest(this, 'timeout');
    // The server knows the deadline too, so no frame is sent to report its end.
    for (const delivery of this.deliveries) delivery.cancel();
  }
}

export class LocalBusRequestDelivery extends BusRequestDelivery {
  constructor(
    readonly server: LocalBusClient,
    readonly pending: LocalBusPendingReply,
  ) {
    super(pending.value, pending.client.id);
  }

  protected override sendReply(value: Json): void {
    this.server.queueReply(this, value);
  }

  protected override releaseResources(): void {
    this.server.forgetDelivery(this);
  }
}
