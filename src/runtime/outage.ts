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
  readonly noHostAliveMs: number;
  /** True if a living host is known that can take partitions. */
  readonly isHostAble: boolean;
}

/**
 * Milliseconds without a connection after which the bus counts as away: by then a restarted NATS server is back, or
 * clients have connected to another one.
 */
const BUS_AWAY_AFTER_MS = 2_000;
/** Milliseconds of failing calls after which a Store counts as away. */
const STORE_AWAY_AFTER_MS = 2_500;
/** Grace period after the last host's lease has lapsed, ms: a host that restarts at once is no outage. */
const NO_HOST_GRACE_MS = 1_000;
/**
 * Milliseconds without an owner after which a partition counts as away, unless a host is known that can take it: a
 * take-over takes 5 s at most, and a little longer on a busy machine.
 */
const PARTITION_AWAY_AFTER_MS = 8_000;
/**
 * As `PARTITION_AWAY_AFTER_MS`, but while a host is known that can take the partition. Hosts without CPU lose their
 * leases again and again, and a take-over then lasts until the hosts get CPU (17 s measured at a load of 26 on two
 * cores). Only a fault lasts longer.
 */
const PARTITION_STUCK_AFTER_MS = 30_000;
/**
 * Duration of a refused attempt, ms, from which the partition must have had an owner when the attempt began: a host
 * that doesn't own the partition refuses much sooner.
 */
const ACCEPTED_ATTEMPT_MS = 1_000;
/**
 * Duration of an attempt, ms, from which the partition's owner can't have been silent all the time: the bus gives a
 * silent host up after 2.5 s.
 */
const HEARD_ATTEMPT_MS = 5_000;
/** Milliseconds between two failures, from which the second belongs to a new outage. */
const NEW_OUTAGE_AFTER_MS = 30_000;
const DEFAULT_OUTAGE_WAIT_LIMIT_MS = 3_000;

interface OutagePeriod {
  readonly startedAt: number;
  readonly lastFailureAt: number;
}

/**
 * Returns the outage after one more failure: the present outage continues, or a new one begins if the last failure is
 * long ago.
 */
export const extendOrStartOutage = (outage: OutagePeriod | undefined, now: number): OutagePeriod =>
  outage && now - outage.lastFailureAt < NEW_OUTAGE_AFTER_MS
    ? { startedAt: outage.startedAt, lastFailureAt: now }
    : { startedAt: now, lastFailureAt: now };

export interface OutageOptions {
  /**
   * Maximum wait of a call during an outage, ms from the beginning of the call: an older call fails as soon as the
   * outage is known.
   */
  readonly limitMs?: number | undefined;
  readonly hosts?: HostLiveness | undefined;
}

export class OutageDetector {
  readonly maxOutageWaitMs: number;
  readonly #hostLiveness: HostLiveness | undefined;
  /** Monotonic time (ms) since which the connection is known to be lost. */
  #connectionLostAt: number | undefined;
  /** Partitions that had no answering owner lately, by their bus subjects. */
  readonly #outageByUnservedSubject = new Map<string, OutagePeriod>();

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
    { limitMs = DEFAULT_OUTAGE_WAIT_LIMIT_MS, hosts }: OutageOptions = {},
  ) {
    this.maxOutageWaitMs = limitMs;
    this.#hostLiveness = hosts;
    bus.onReconnect(() => {
      this.#connectionLostAt = undefined;
    });
    bus.onSubjectServed((subject) => this.#outageByUnservedSubject.delete(subject));
  }

  /** Records that a host answered for the partition, so that it counts as served. */
  recordAnswer(subject: string): void {
    if (this.#outageByUnservedSubject.size > 0) this.#outageByUnservedSubject.delete(subject);
  }

  /**
   * True if the failure is an outage rather than a short interruption.
   * @param attemptMs for how long the failed attempt lasted
   * @param awayMs for how long the Store has been away, as reported by the refusing host
   */
  recordFailureAndCheckAway(
    subject: string,
    failure: CommandFailureReason,
    attemptMs: number,
    awayMs: number,
  ): boolean {
    switch (failure) {
      case 'disconnected':
        if (!this.bus.connected) return this.isBusAway;
        return this.#recordUnservedAndCheckAway(subject, attemptMs >= HEARD_ATTEMPT_MS);
      case 'not-owner':
      case 'moved':
        return this.#recordUnservedAndCheckAway(subject, attemptMs >= ACCEPTED_ATTEMPT_MS);
      case 'nobody':
        return this.#recordUnservedAndCheckAway(subject, false);
      case 'unavailable':
        this.recordAnswer(subject);
        return awayMs >= STORE_AWAY_AFTER_MS;
      case 'busy':
      case 'early':
        this.recordAnswer(subject);
        return false;
      default:
        return false;
    }
  }

  get isBusAway(): boolean {
    if (this.bus.connected) {
      this.#connectionLostAt = undefined;
      return false;
    }
    const now = this.clock.monotonic();
    this.#connectionLostAt ??= now;
    return now - this.#connectionLostAt >= BUS_AWAY_AFTER_MS;
  }

  /**
   * @param wasServed true if the partition had an owner during the failed attempt: the failure then begins a new outage
   */
  #recordUnservedAndCheckAway(subject: string, wasServed: boolean): boolean {
    const now = this.clock.monotonic();
    const before = wasServed ? undefined : this.#outageByUnservedSubject.get(subject);
    const outage = extendOrStartOutage(before, now);
    this.#outageByUnservedSubject.set(subject, outage);
    const { noHostAliveMs = 0, isHostAble = false } = this.#hostLiveness ?? {};
    const limitMs = isHostAble ? PARTITION_STUCK_AFTER_MS : PARTITION_AWAY_AFTER_MS;
    return now - outage.startedAt >= limitMs || noHostAliveMs >= NO_HOST_GRACE_MS;
  }
}
