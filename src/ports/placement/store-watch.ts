/**
 * Decides whether this host can reach the Store, and whether it should leave its partitions to hosts that can
 * (docs/decisions/019-store-lost-by-one.md).
 *
 * This host pings the Store each second, and reads the other hosts' results from their heartbeats. This host gives up
 * its partitions only if the Store works for another host after it stopped working for this one: if no host has the
 * Store, no partition moves.
 */
import { type Clock, runPeriodically, type TimerHandle } from '#base/clock';
import type { HostRecord, StoreHealthReport, StoreHealthState } from './host-record.js';

/** Interval between pings of the Store, milliseconds. */
const STORE_PING_INTERVAL_MS = 1_000;
/** Time without an answer after which a ping has failed, milliseconds. */
const STORE_PING_TIMEOUT_MS = 900;
/**
 * Delay of timers above which a ping doesn't count, milliseconds: a process with late timers would only measure its own
 * delay.
 */
const MAX_TOLERATED_TIMER_LATENESS_MS = 250;
/** Time without an answer after which the Store is lost, milliseconds; at least two pings must have failed. */
const STORE_LOST_AFTER_MS = 4_000;
/**
 * Milliseconds by which another host's answered ping must be later than our last one; otherwise that ping may be from
 * before an outage for all hosts.
 */
const MIN_PEER_ANSWER_LEAD_MS = 2_500;
/**
 * Milliseconds for which another host must have reached the Store without a failure before its report is evidence that
 * this host alone has lost the Store. After an outage of the Store, hosts reach it again at different times.
 */
const MIN_STEADY_PEER_STORE_OK_MS = 5_000;
/** Maximum age of another host's report that still counts, milliseconds. */
const MAX_PEER_REPORT_AGE_MS = 4_000;
/**
 * Milliseconds without a host that can reach the Store after which this host takes partitions again: there is no host
 * to leave the partitions to.
 */
const RETURN_WITHOUT_STORE_WITNESS_AFTER_MS = 8_000;
/**
 * Interval of the timer that runs during a ping, milliseconds: its delay shows whether this process is the slow part.
 */
const TIMER_DELAY_PROBE_INTERVAL_MS = 100;
/** Number of answer times whose median counts: half a minute, since a host is slow for a while after a takeover. */
const MAX_COUNTED_ANSWER_TIMES = 30;
/** Number of the newest answer times, which are reported, and which decide whether a host may take partitions again. */
const NEWEST_ANSWER_TIME_COUNT = 5;
/**
 * Milliseconds for which the Store must have worked for other hosts so that their medians count: longer than the period
 * of our own median.
 */
const MIN_COMPARABLE_PEER_STORE_OK_MS = 35_000;
const SLOW_STORE_MIN_ANSWER_MS = 500;
const SLOW_STORE_MIN_RATIO_TO_PEERS = 10;
/**
 * Milliseconds for which the Store must have worked before a host that gave up its partitions takes partitions again;
 * doubled each time that the Store fails again soon.
 */
const STORE_TRUSTED_AFTER_MS = 5_000;
const MAX_TRUST_TIME_DOUBLINGS = 4;
const STORE_RELAPSE_PERIOD_MS = 300_000;

/** Another host for which the Store worked, with times by this host's clock. */
interface StoreWitnessHost {
  readonly beat: number;
  readonly token: string;
  /** Lower bound of the time at which the Store last worked for that host; monotonic ms. */
  readonly storeWorkedAt: number;
  readonly okMs: number;
  readonly answerMs: number;
}

interface PeerHost {
  readonly id: string;
  readonly value: HostRecord;
}

function computeMedian(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? 0;
}

export class StoreHealthWatch {
  #stopPinging: (() => void) | undefined;
  /**
   * Time at which the first ping of the current run of answered pings was sent, monotonic ms; `#lastAnsweredPingSentAt`
   * is that of the last one.
   */
  #firstAnsweredPingSentAt = 0;
  #lastAnsweredPingSentAt = 0;
  /** Time of the last answer of the Store; monotonic. */
  #lastStoreAnswerAt = 0;
  #consecutiveFailedPingCount = 0;
  #wasEverAnswered = false;
  #answerTimesMs: number[] = [];
  #witnessesByHostId = new Map<string, StoreWitnessHost>();
  /** Time at which the keys were last read; monotonic. */
  #keysReadAt: number | undefined;
  #suspensionReason: 'fails' | 'slow' | undefined;
  #suspendedAt = 0;
  #returnedFromSuspensionAt = Number.NEGATIVE_INFINITY;
  #trustTimeDoublings = 0;

  constructor(
    private readonly clock: Clock,
    private readonly ping: () => Promise<void>,
  ) {}

  start(): void {
    this.#lastStoreAnswerAt = this.clock.monotonic();
    this.#stopPinging = runPeriodically(this.clock, STORE_PING_INTERVAL_MS, (lateMs) => {
      if (lateMs <= MAX_TOLERATED_TIMER_LATENESS_MS) void this.#pingStore();
    });
  }

  stop(): void {
    this.#stopPinging?.();
  }

  /** True if this host has given up its partitions because of the Store, and takes none. */
  get isSuspended(): boolean {
    return this.#suspensionReason !== undefined;
  }

  get state(): StoreHealthState {
    if (this.#suspensionReason) return this.#suspensionReason;
    if (this.#isStoreFailing) return 'fails';
    return this.#answerTimesMs.length === 0 ? 'unknown' : 'works';
  }

  makeReport(): StoreHealthReport {
    const now = this.clock.monotonic();
    const ok = this.#wasEverAnswered && this.#consecutiveFailedPingCount === 0;
    return {
      state: this.state,
      okMs: ok ? Math.round(this.#lastAnsweredPingSentAt - this.#firstAnsweredPingSentAt) : 0,
      ageMs: Math.round(now - this.#lastAnsweredPingSentAt),
      // The longer of both times is reported, so that after a change for all hosts a host that knows of it early isn't
      // compared with one that learns of it late.
      answerMs: Math.round(Math.max(this.#newestMedianAnswerMs, computeMedian(this.#answerTimesMs))),
    };
  }

  /**
   * Decides by the current reports of other hosts. Returns 'suspended' if this host has just given up its partitions,
   * or 'returned' if it may take partitions again.
   * @param peers other living hosts
   * @param sent monotonic time at which the read of the keys was sent
   */
  suspendOrReturnByPeerReports(peers: readonly PeerHost[], sent: number): 'suspended' | 'returned' | undefined {
    this.#updateWitnesses(peers, sent);
    const now = this.clock.monotonic();
    if (!this.#suspensionReason) {
      const why = this.#findSuspensionReason(now);
      if (why) this.#markSuspended(why, now);
      return why && 'suspended';
    }
    if (!this.#mayTakePartitionsAgain(now)) return undefined;
    this.#suspensionReason = undefined;
    this.#returnedFromSuspensionAt = now;
    // Only new answers count from now on, so that a host that was slow isn't suspended again for its old answers.
    this.#answerTimesMs = this.#answerTimesMs.slice(-NEWEST_ANSWER_TIME_COUNT);
    return 'returned';
  }

  get #newestMedianAnswerMs(): number {
    return computeMedian(this.#answerTimesMs.slice(-NEWEST_ANSWER_TIME_COUNT));
  }

  get #isStoreFailing(): boolean {
    return (
      this.#consecutiveFailedPingCount >= 2 && this.clock.monotonic() - this.#lastStoreAnswerAt >= STORE_LOST_AFTER_MS
    );
  }

  /**
   * Dates new heartbeats of other hosts: a heartbeat that the previous read didn't show was written after that read.
   */
  #updateWitnesses(peers: readonly PeerHost[], sent: number): void {
    const after = this.#keysReadAt;
    this.#keysReadAt = sent;
    const heard = new Map<string, StoreWitnessHost>();
    for (const { id, value } of peers) {
      const { beat, token, store } = value;
      const before = this.#witnessesByHostId.get(id);
      if (before?.beat === beat && before.token === token) heard.set(id, before);
      else if (after !== undefined && store && store.okMs > 0) {
        heard.set(id, { beat, token, storeWorkedAt: after - store.ageMs, okMs: store.okMs, answerMs: store.answerMs });
      }
    }
    this.#witnessesByHostId = heard;
  }

  #findSuspensionReason(now: number): 'fails' | 'slow' | undefined {
    const steady = [...this.#witnessesByHostId.values()].filter(
      ({ okMs, storeWorkedAt }) => okMs >= MIN_STEADY_PEER_STORE_OK_MS && now - storeWorkedAt < MAX_PEER_REPORT_AGE_MS,
    );
    if (steady.length === 0) return undefined;
    if (
      this.#isStoreFailing &&
      steady.some(({ storeWorkedAt }) => storeWorkedAt - this.#lastStoreAnswerAt >= MIN_PEER_ANSWER_LEAD_MS)
    )
      return 'fails';
    if (this.#answerTimesMs.length < MAX_COUNTED_ANSWER_TIMES) return undefined;
    const own = Math.min(this.#newestMedianAnswerMs, computeMedian(this.#answerTimesMs));
    const compared = steady.filter(({ okMs }) => okMs >= MIN_COMPARABLE_PEER_STORE_OK_MS);
    if (compared.length === 0) return undefined;
    const others = computeMedian(compared.map(({ answerMs }) => answerMs));
    return own >= SLOW_STORE_MIN_ANSWER_MS && own >= SLOW_STORE_MIN_RATIO_TO_PEERS * others ? 'slow' : undefined;
  }

  #markSuspended(why: 'fails' | 'slow', now: number): void {
    this.#trustTimeDoublings =
      now - this.#returnedFromSuspensionAt < STORE_RELAPSE_PERIOD_MS
        ? Math.min(MAX_TRUST_TIME_DOUBLINGS, this.#trustTimeDoublings + 1)
        : 0;
    this.#suspensionReason = why;
    this.#suspendedAt = now;
  }

  #mayTakePartitionsAgain(now: number): boolean {
    const newest = Math.max(
      this.#suspendedAt,
      ...[...this.#witnessesByHostId.values()].map(({ storeWorkedAt }) => storeWorkedAt),
    );
    if (now - newest > RETURN_WITHOUT_STORE_WITNESS_AFTER_MS) return true;
    const trusted =
      this.#consecutiveFailedPingCount === 0 &&
      this.#lastAnsweredPingSentAt - this.#firstAnsweredPingSentAt >=
        STORE_TRUSTED_AFTER_MS * 2 ** this.#trustTimeDoublings;
    return trusted && this.#newestMedianAnswerMs < SLOW_STORE_MIN_ANSWER_MS / 2;
  }

  async #pingStore(): Promise<void> {
    const asked = this.clock.monotonic();
    let timer: TimerHandle | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = this.clock.setTimeout(() => resolve(false), STORE_PING_TIMEOUT_MS);
    });
    const answered = this.ping().then(
      () => true,
      () => false,
    );
    const pulse = this.#startMeasuringTimerDelay();
    const ok = await Promise.race([answered, late]);
    if (timer) this.clock.clearTimeout(timer);
    const now = this.clock.monotonic();
    const isLate = pulse() > MAX_TOLERATED_TIMER_LATENESS_MS;
    if (!isLate)
      this.#answerTimesMs = [
        ...this.#answerTimesMs.slice(1 - MAX_COUNTED_ANSWER_TIMES),
        ok ? now - asked : STORE_PING_TIMEOUT_MS,
      ];
    if (!ok) {
      if (!isLate) this.#consecutiveFailedPingCount++;
      return;
    }
    if (!this.#wasEverAnswered || this.#consecutiveFailedPingCount > 0) this.#firstAnsweredPingSentAt = asked;
    this.#wasEverAnswered = true;
    this.#consecutiveFailedPingCount = 0;
    this.#lastAnsweredPingSentAt = asked;
    this.#lastStoreAnswerAt = now;
  }

  /**
   * Measures timer delays.
   * @returns a function that stops and returns the total delay in milliseconds
   */
  #startMeasuringTimerDelay(): () => number {
    let lateMs = 0;
    let due = 0;
    let timer: TimerHandle;
    const late = (): number => Math.max(0, this.clock.monotonic() - due);
    const arm = (): void => {
      due = this.clock.monotonic() + TIMER_DELAY_PROBE_INTERVAL_MS;
      timer = this.clock.setTimeout(() => {
        lateMs += late();
        arm();
      }, TIMER_DELAY_PROBE_INTERVAL_MS);
    };
    arm();
    return () => {
      this.clock.clearTimeout(timer);
      return lateMs + late();
    };
  }
}
