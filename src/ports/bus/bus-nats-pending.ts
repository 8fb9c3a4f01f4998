/** What a NatsBus keeps of requests that were not answered yet. */

import type { Json } from '#base';
import type { Deadline } from '#base/clock';
import type { BusError, BusFailure, PendingReply } from './bus.js';

/** Who settles it. */
export interface PendingOwner {
  cancel(pending: Pending): void;
  settle(pending: Pending, outcome: BusFailure): void;
}

export class Pending implements Deadline, PendingReply {
  readonly reply: Promise<Json>;
  bucket: Set<Deadline> | undefined;
  settled = false;
  sent = false;
  /** Who is known to hold it. */
  server: ServerPeer | undefined;
  resolve!: (value: Json) => void;
  reject!: (error: BusError) => void;

  constructor(
    readonly owner: PendingOwner,
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
    this.owner.cancel(this);
  }

  expire(): void {
    this.owner.settle(this, 'timeout');
  }
}

/** Requests to one subject, in order; a lane waits while a transfer of it is under way. */
export interface Lane {
  queue: Pending[];
  cancels: number[];
  busy: boolean;
}

/** A sent frame that no server has confirmed yet. */
export interface SentFrame {
  readonly subject: string;
  readonly requests: readonly Pending[];
  transfer: number;
  silent: number;
}

export interface ServerPeer {
  readonly id: string;
  /** Number of the last frame that came from it. */
  last: number;
  silent: number;
  readonly held: Set<Pending>;
  cancels: number[];
}
