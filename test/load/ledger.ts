/** Ledger of deliveries: counts, for each message, the clients that must get it and those that got it. */
import type { QueueEnd, QueueStart, SentMessage } from './protocol.js';

/** Time in which a client had an event queue. */
interface QueueLifetime {
  readonly asked: number;
  readonly since: number;
  until: number;
}

/** Message whose deliveries may be incomplete. */
interface OpenMessage {
  sent: SentMessage | undefined;
  delivered: number;
}

export interface Balance {
  /** Required deliveries (to queues that live throughout the send), and the optional ones that happened. */
  readonly expected: number;
  readonly delivered: number;
  /** Required deliveries of acknowledged messages that have not happened so far. */
  readonly missing: number;
  /** Deliveries beyond the possible number: repeated events, or events for the wrong users. */
  readonly unexpected: number;
  /** Deliveries of messages whose sender got no acknowledgement. */
  readonly unacknowledged: number;
}

/** Longest time between the start of a call and its report, ms; the timeouts of harness and server are shorter. */
const MAX_UNREPORTED_MS = 120_000;

/** @param audience returns the indices of the members of a stream */
export class Ledger {
  readonly #queueLifetimes = new Map<number, QueueLifetime[]>();
  readonly #openMessages = new Map<string, OpenMessage>();
  #expected = 0;
  #delivered = 0;
  #unexpected = 0;

  constructor(
    private readonly audience: (stream: number) => readonly number[],
    private readonly devices: number,
  ) {}

  queueStarted({ client, asked, since }: QueueStart): void {
    const lifetimes = this.#queueLifetimes.get(client) ?? [];
    lifetimes.push({ asked, since, until: Number.POSITIVE_INFINITY });
    this.#queueLifetimes.set(client, lifetimes);
  }

  queueEnded({ client, at }: QueueEnd): void {
    const last = this.#queueLifetimes.get(client)?.at(-1);
    if (last && last.until > at) last.until = at;
  }

  sent(sent: SentMessage): void {
    const open = this.#openMessages.get(sent.token);
    if (open) open.sent = sent;
    else this.#openMessages.set(sent.token, { sent, delivered: 0 });
  }

  delivered(token: string, times: number): void {
    const open = this.#openMessages.get(token);
    if (open) open.delivered += times;
    else this.#openMessages.set(token, { sent: undefined, delivered: times });
  }

  /** Removes complete messages. Call it once all workers have reported on the time before `at`. */
  closeCompleteMessages(at: number): void {
    let oldest = at - MAX_UNREPORTED_MS;
    for (const [token, { sent, delivered }] of this.#openMessages) {
      if (!sent) continue;
      const bounds = sent.acknowledged <= at ? this.#deliveryBoundsOf(sent) : undefined;
      if (bounds && delivered >= bounds.most) {
        this.#close(delivered, bounds.least, bounds.most);
        this.#openMessages.delete(token);
      } else oldest = Math.min(oldest, sent.at);
    }
    this.#removeOldLifetimes(oldest);
  }

  balance(): Balance {
    let [expected, delivered, missing, unexpected, unacknowledged] = [
      this.#expected,
      this.#delivered,
      0,
      this.#unexpected,
      0,
    ];
    for (const open of this.#openMessages.values()) {
      delivered += open.delivered;
      if (!open.sent) {
        unacknowledged += open.delivered;
        continue;
      }
      const { least, most } = this.#deliveryBoundsOf(open.sent);
      expected += Math.max(least, Math.min(open.delivered, most));
      missing += Math.max(0, least - open.delivered);
      unexpected += Math.max(0, open.delivered - most);
    }
    return { expected, delivered, missing, unexpected, unacknowledged };
  }

  /** @returns the missing deliveries of messages acknowledged up to `until` */
  missing(until: number): number {
    let missing = 0;
    for (const { sent, delivered } of this.#openMessages.values()) {
      if (sent && sent.acknowledged <= until) missing += Math.max(0, this.#deliveryBoundsOf(sent).least - delivered);
    }
    return missing;
  }

  /** Removes queue lifetimes that ended before the oldest open message was sent. */
  #removeOldLifetimes(oldest: number): void {
    for (const [client, lifetimes] of this.#queueLifetimes) {
      if (lifetimes[0] && lifetimes[0].until < oldest) {
        this.#queueLifetimes.set(
          client,
          lifetimes.filter(({ until }) => until >= oldest),
        );
      }
    }
  }

  #close(delivered: number, least: number, most: number): void {
    this.#expected += Math.max(least, Math.min(delivered, most));
    this.#delivered += delivered;
    this.#unexpected += Math.max(0, delivered - most);
  }

  /**
   * @returns the smallest and the largest number of clients that get the message. A new queue starts at some time
   * between request and response of its registration; an ended queue may or may not have got the message.
   */
  #deliveryBoundsOf({ stream, users, at, acknowledged }: SentMessage): { least: number; most: number } {
    let [least, most] = [0, 0];
    for (const user of stream < 0 ? users : this.audience(stream)) {
      for (let device = 0; device < this.devices; device++) {
        for (const { asked, since, until } of this.#queueLifetimes.get(user * this.devices + device) ?? []) {
          if (asked > acknowledged || until < at) continue;
          most++;
          if (since <= at && until === Number.POSITIVE_INFINITY) least++;
        }
      }
    }
    return { least, most };
  }
}
