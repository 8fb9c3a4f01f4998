/** The objects that a LocalBus and its hub exchange: frames, servers, and the two sides of a request. */

import type { Json } from '#base';
import type { TimerEntry } from '#base/clock';
import type { BusError, BusFailure, BusRequest, PendingReply } from './bus.js';
import { RequestDelivery } from './bus-shared.js';

/**
 * One transfer between two clients of a hub: all requests, replies or cancels of one event-loop turn to the same
 * destination.
 */
export interface LocalFrame {
  readonly kind: 'request' | 'reply' | 'cancel';
  /** Id of the sending client. */
  readonly from: string;
  /** Id of the receiving client; '' for requests to a subject without a server. */
  readonly to: string;
  /** Subject of the requests; '' for replies and cancels. */
  readonly subject: string;
  /** Number of requests, replies or cancels in the frame. */
  readonly count: number;
  /** The requests in the frame. */
  readonly requests?: readonly { readonly value: Json }[];
}

export interface LocalServer {
  readonly subject: string;
  readonly client: LocalClient;
  readonly handler: (request: BusRequest) => void;
}

/** The methods of a client that its hub and the other clients call. */
export interface LocalClient {
  readonly id: string;
  readonly connected: boolean;
  crash(): void;
  setConnected(connected: boolean): void;
  /** Called when the hub declares the connection to another client silent. */
  silent(server: string): void;
  /** Called when a client of the hub begins to serve `subject`. */
  served(subject: string): void;
  /** Delivers a request to a handler of this client. */
  deliver(server: LocalServer, pending: LocalPendingReply): void;
  settle(pending: LocalPendingReply, outcome: BusFailure | 'cancelled' | { value: Json }): void;
  cancel(pending: LocalPendingReply): void;
  answer(delivery: LocalDelivery, value: Json): void;
  forget(delivery: LocalDelivery): void;
}

const NO_DELIVERIES: readonly LocalDelivery[] = [];

export class LocalPendingReply implements TimerEntry, PendingReply {
  readonly reply: Promise<Json>;
  bucket: Set<TimerEntry> | undefined;
  settled = false;
  /** Deliveries of this request to servers: mostly one, several if a frame was delivered twice. */
  deliveries: readonly LocalDelivery[] = NO_DELIVERIES;
  resolve!: (value: Json) => void;
  reject!: (error: BusError) => void;

  constructor(
    readonly client: LocalClient,
    readonly subject: string,
    readonly value: Json,
  ) {
    this.reply = new Promise<Json>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  cancel(): void {
    this.client.cancel(this);
  }

  expire(): void {
    this.client.settle(this, 'timeout');
    // The server knows the deadline too, so no frame is sent to report its end.
    for (const delivery of this.deliveries) delivery.cancel();
  }
}

export class LocalDelivery extends RequestDelivery {
  constructor(
    readonly server: LocalClient,
    readonly pending: LocalPendingReply,
  ) {
    super(pending.value, pending.client.id);
  }

  protected override sendReply(value: Json): void {
    this.server.answer(this, value);
  }

  protected override release(): void {
    this.server.forget(this);
  }
}
