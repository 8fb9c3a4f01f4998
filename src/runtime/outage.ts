/**
 * Distinguishes short interruptions from outages. A call waits until its own deadline for a connection that comes back
 * or a take-over that ends. Once NATS, the Store, every actor host, or for too long the owner of the call's partition
 * is known to be away, the call fails soon instead.
 */

import type { Clock } from '#base/clock';
import type { CommandFailureReason } from '#model';
import type { Bus } from '#ports/bus';

/** Knowledge of a process about the actor hosts of its cluster. */
interface HostLiveness {
  /** Duration for which no host has been alive, ms; 0: a host is alive, or it is not known. */
  readonly noneMs: number;
}

/**
 * Milliseconds without a connection after which the bus counts as away: by then a restarted NATS server is back, or
 * clients have connected to another one.
 */
const BUS_AWAY_MS = 2_000;
/** Milliseconds of failing calls after which a Store counts as away. */
const STORE_AWAY_MS = 2_500;
/** Grace period after the last host's lease has lapsed, ms: a host that restarts at once is no outage. */
const NO_HOST_MS = 1_000;
/**
 * Milliseconds without an owner after which a partition counts as away: a take-over takes 5 s at most, and a little
 * longer on a busy machine.
 */
const UNSERVED_MS = 8_000;
/** Milliseconds between two failures from which they belong to different outages. */
const APART_MS = 30_000;
const USUAL_LIMIT_MS = 3_000;

interface Trouble {
  readonly since: number;
  readonly last: number;
}

/**
 * Returns the outage after one more failure: the present outage continues, or a new one begins if the last failure is
 * long ago.
 */
export const extendOutage = (trouble: Trouble | undefined, now: number): Trouble =>
  trouble && now - trouble.last < APART_MS ? { since: trouble.since, last: now } : { since: now, last: now };

export interface OutageOptions {
  /** Maximum wait of a call during an outage, ms from the beginning of the outage. */
  readonly limitMs?: number | undefined;
  readonly hosts?: HostLiveness | undefined;
}

export class OutageDetector {
  readonly limitMs: number;
  readonly #hosts: HostLiveness | undefined;
  /** Monotonic time (ms) since which the connection is known to be lost. */
  #lost: number | undefined;
  /** Partitions that had no answering owner lately, by their bus subjects. */
  readonly #unserved = new Map<string, Trouble>();

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
    { limitMs = USUAL_LIMIT_MS, hosts }: OutageOptions = {},
  ) {
    this.limitMs = limitMs;
    this.#hosts = hosts;
    bus.onReconnect(() => {
      this.#lost = undefined;
    });
    bus.onServed((subject) => this.#unserved.delete(subject));
  }

  /** Records that a host answered for the partition, so that it counts as served. */
  answered(subject: string): void {
    if (this.#unserved.size > 0) this.#unserved.delete(subject);
  }

  /**
   * True if the failure is an outage rather than a short interruption.
   * @param awayMs for how long the Store has been away, as reported by the refusing host
   */
  isKnownAway(subject: string, failure: CommandFailureReason, awayMs: number): boolean {
    switch (failure) {
      case 'disconnected':
        return this.bus.connected ? this.#isUnserved(subject) : this.busAway;
      case 'nobody':
      case 'not-owner':
      case 'moved':
        return this.#isUnserved(subject);
      case 'unavailable':
        this.answered(subject);
        return awayMs >= STORE_AWAY_MS;
      case 'busy':
      case 'early':
        this.answered(subject);
        return false;
      default:
        return false;
    }
  }

  get busAway(): boolean {
    if (this.bus.connected) {
      this.#lost = undefined;
      return false;
    }
    const now = this.clock.monotonic();
    this.#lost ??= now;
    return now - this.#lost >= BUS_AWAY_MS;
  }

  #isUnserved(subject: string): boolean {
    const now = this.clock.monotonic();
    const trouble = extendOutage(this.#unserved.get(subject), now);
    this.#unserved.set(subject, trouble);
    return now - trouble.since >= UNSERVED_MS || (this.#hosts?.noneMs ?? 0) >= NO_HOST_MS;
  }
}
