/** Ledger of deliveries: which clients should have seen each message, and how many did. */
import type { Gone, Live, Sent } from './protocol.js';

interface Stay {
  readonly asked: number;
  readonly since: number;
  until: number;
}

interface Open {
  sent: Sent | undefined;
  delivered: number;
}

export interface Balance {
  /** Deliveries that had to happen; certain for everybody whose queue lived all the while. */
  readonly expected: number;
  readonly delivered: number;
  /** Acknowledged messages × clients who should have seen them and didn't (so far). */
  readonly missing: number;
  /** More than anybody could expect: events that came twice or to the wrong people. */
  readonly unexpected: number;
  /** Of messages whose sender got no acknowledgement. */
  readonly unacknowledged: number;
}

/**
 * A call that has not been reported yet was begun this long ago at most: what harness and server give up on ends
 * sooner.
 */
const KEEP_MS = 120_000;

/** @param audience positions of the users who are in a stream */
export class Ledger {
  readonly #stays = new Map<number, Stay[]>();
  readonly #open = new Map<string, Open>();
  #expected = 0;
  #delivered = 0;
  #unexpected = 0;

  constructor(
    private readonly audience: (stream: number) => readonly number[],
    private readonly devices: number,
  ) {}

  live({ client, asked, since }: Live): void {
    const stays = this.#stays.get(client) ?? [];
    stays.push({ asked, since, until: Number.POSITIVE_INFINITY });
    this.#stays.set(client, stays);
  }

  gone({ client, at }: Gone): void {
    const last = this.#stays.get(client)?.at(-1);
    if (last && last.until > at) last.until = at;
  }

  sent(sent: Sent): void {
    const open = this.#open.get(sent.token);
    if (open) open.sent = sent;
    else this.#open.set(sent.token, { sent, delivered: 0 });
  }

  delivered(token: string, times: number): void {
    const open = this.#open.get(token);
    if (open) open.delivered += times;
    else this.#open.set(token, { sent: undefined, delivered: times });
  }

  /** Forgets what is complete. Call it when the reports of all workers about the time before `at` are in. */
  settle(at: number): void {
    let oldest = at - KEEP_MS;
    for (const [token, { sent, delivered }] of this.#open) {
      if (!sent) continue;
      const bounds = sent.acknowledged <= at ? this.#bounds(sent) : undefined;
      if (bounds && delivered >= bounds.most) {
        this.#close(delivered, bounds.least, bounds.most);
        this.#open.delete(token);
      } else oldest = Math.min(oldest, sent.at);
    }
    this.#forget(oldest);
  }

  balance(): Balance {
    let [expected, delivered, missing, unexpected, unacknowledged] = [
      this.#expected,
      this.#delivered,
      0,
      this.#unexpected,
      0,
    ];
    for (const open of this.#open.values()) {
      delivered += open.delivered;
      if (!open.sent) {
        unacknowledged += open.delivered;
        continue;
      }
      const { least, most } = this.#bounds(open.sent);
      expected += Math.max(least, Math.min(open.delivered, most));
      missing += Math.max(0, least - open.delivered);
      unexpected += Math.max(0, open.delivered - most);
    }
    return { expected, delivered, missing, unexpected, unacknowledged };
  }

  /** Of messages acknowledged until then. */
  missing(until: number): number {
    let missing = 0;
    for (const { sent, delivered } of this.#open.values()) {
      if (sent && sent.acknowledged <= until) missing += Math.max(0, this.#bounds(sent).least - delivered);
    }
    return missing;
  }

  /** Stays that ended before what is still open was sent. */
  #forget(oldest: number): void {
    for (const [client, stays] of this.#stays) {
      if (stays[0] && stays[0].until < oldest) {
        this.#stays.set(
          client,
          stays.filter(({ until }) => until >= oldest),
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
   * Least and largest number of clients that see the message. A new queue begins at some moment between the request and
   * the response of its registration; a client that left may or may not have seen the message before.
   */
  #bounds({ stream, users, at, acknowledged }: Sent): { least: number; most: number } {
    let [least, most] = [0, 0];
    for (const user of stream < 0 ? users : this.audience(stream)) {
      for (let device = 0; device < this.devices; device++) {
        for (const { asked, since, until } of this.#stays.get(user * this.devices + device) ?? []) {
          if (asked > acknowledged || until < at) continue;
          most++;
          if (since <= at && until === Number.POSITIVE_INFINITY) least++;
        }
      }
    }
    return { least, most };
  }
}
