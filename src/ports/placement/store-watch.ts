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
const PING_EVERY_MS = 1_000;
/** Time without an answer after which a ping has failed, milliseconds. */
const PING_TIMEOUT_MS = 900;
/**
 * Delay of timers above which a ping doesn't count, milliseconds: a process with late timers would only measure its own
 * delay.
 */
const LATE_MS = 250;
/** Time without an answer after which the Store is lost, milliseconds; at least two pings must have failed. */
const FAILS_MS = 4_000;
/**
 * Milliseconds by which another host's answered ping must be later than our last one; otherwise that ping may be from
 * before an outage for all hosts.
 */
const LATER_MS = 2_500;
/**
 * Milliseconds for which another host must have reached the Store without a failure before its report is evidence that
 * this host alone has lost the Store. After an outage of the Store, hosts reach it again at different times.
 */
const STEADY_MS = 5_000;
/** Maximum age of another host's report that still counts, milliseconds. */
const RECENT_MS = 4_000;
/**
 * Milliseconds without a host that can reach the Store after which this host takes partitions again: there is no host
 * to leave the partitions to.
 */
const ALONE_MS = 8_000;
/**
 * Interval of the timer that runs during a ping, milliseconds: its delay shows whether this process is the slow part.
 */
const PULSE_MS = 100;
/** Number of answer times whose median counts: half a minute, since a host is slow for a while after a takeover. */
const COUNTED_ANSWERS = 30;
/** Number of the newest answer times, which are reported, and which decide whether a host may take partitions again. */
const NEWEST_ANSWERS = 5;
/**
 * Milliseconds for which the Store must have worked for other hosts so that their medians count: longer than the period
 * of our own median.
 */
const COMPARED_MS = 35_000;
const SLOW_MS = 500;
const TIMES_SLOWER = 10;
/**
 * Milliseconds for which the Store must have worked before a host that gave up its partitions takes partitions again;
 * doubled each time that the Store fails again soon.
 */
const TRUSTED_MS = 5_000;
const MAX_DOUBLINGS = 4;
const SOON_MS = 300_000;

/** Another host for which the Store worked, with times by this host's clock. */
interface Witness {
  readonly beat: number;
  readonly token: string;
  /** Lower bound of the time at which the Store last worked for that host; monotonic ms. */
  readonly okAt: number;
  readonly okMs: number;
  readonly answerMs: number;
}

interface PeerHost {
  readonly id: string;
  readonly value: HostRecord;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? 0;
}

export class StoreHealthWatch {
  #stop: (() => void) | undefined;
  /**
   * Time at which the first ping of the current run of answered pings was sent, monotonic ms; `#okAsked` is that of the
   * last one.
   */
  #okSince = 0;
  #okAsked = 0;
  /** Time of the last answer of the Store; monotonic. */
  #answered = 0;
  #failures = 0;
  #asked = false;
  #times: number[] = [];
  #witnesses = new Map<string, Witness>();
  /** Time at which the keys were last read; monotonic. */
  #keysReadAt: number | undefined;
  #suspended: 'fails' | 'slow' | undefined;
  #suspendedAt = 0;
  #returnedAt = Number.NEGATIVE_INFINITY;
  #doublings = 0;

  constructor(
    private readonly clock: Clock,
    private readonly ping: () => Promise<void>,
  ) {}

  start(): void {
    this.#answered = this.clock.monotonic();
    this.#stop = runPeriodically(this.clock, PING_EVERY_MS, (lateMs) => {
      if (lateMs <= LATE_MS) void this.#ask();
    });
  }

  stop(): void {
    this.#stop?.();
  }

  /** True if this host has given up its partitions because of the Store, and takes none. */
  get suspended(): boolean {
    return this.#suspended !== undefined;
  }

  get state(): StoreHealthState {
    if (this.#suspended) return this.#suspended;
    if (this.#fails) return 'fails';
    return this.#times.length === 0 ? 'unknown' : 'works';
  }

  report(): StoreHealthReport {
    const now = this.clock.monotonic();
    const ok = this.#asked && this.#failures === 0;
    return {
      state: this.state,
      okMs: ok ? Math.round(this.#okAsked - this.#okSince) : 0,
      ageMs: Math.round(now - this.#okAsked),
      // The longer of both times is reported, so that after a change for all hosts a host that knows of it early isn't
      // compared with one that learns of it late.
      answerMs: Math.round(Math.max(this.#newest, median(this.#times))),
    };
  }

  /**
   * Decides by the current reports of other hosts. Returns 'suspended' if this host has just given up its partitions,
   * or 'returned' if it may take partitions again.
   * @param peers other living hosts
   * @param sent monotonic time at which the read of the keys was sent
   */
  judge(peers: readonly PeerHost[], sent: number): 'suspended' | 'returned' | undefined {
    this.#updateWitnesses(peers, sent);
    const now = this.clock.monotonic();
    if (!this.#suspended) {
      const why = this.#shouldLetGo(now);
      if (why) this.#letGo(why, now);
      return why && 'suspended';
    }
    if (!this.#mayReturn(now)) return undefined;
    this.#suspended = undefined;
    this.#returnedAt = now;
    // Only new answers count from now on, so that a host that was slow isn't suspended again for its old answers.
    this.#times = this.#times.slice(-NEWEST_ANSWERS);
    return 'returned';
  }

  get #newest(): number {
    return median(this.#times.slice(-NEWEST_ANSWERS));
  }

  get #fails(): boolean {
    return this.#failures >= 2 && this.clock.monotonic() - this.#answered >= FAILS_MS;
  }

  /**
   * Dates new heartbeats of other hosts: a heartbeat that the previous read didn't show was written after that read.
   */
  #updateWitnesses(peers: readonly PeerHost[], sent: number): void {
    const after = this.#keysReadAt;
    this.#keysReadAt = sent;
    const heard = new Map<string, Witness>();
    for (const { id, value } of peers) {
      const { beat, token, store } = value;
      const before = this.#witnesses.get(id);
      if (before?.beat === beat && before.token === token) heard.set(id, before);
      else if (after !== undefined && store && store.okMs > 0) {
        heard.set(id, { beat, token, okAt: after - store.ageMs, okMs: store.okMs, answerMs: store.answerMs });
      }
    }
    this.#witnesses = heard;
  }

  #shouldLetGo(now: number): 'fails' | 'slow' | undefined {
    const steady = [...this.#witnesses.values()].filter(
      ({ okMs, okAt }) => okMs >= STEADY_MS && now - okAt < RECENT_MS,
    );
    if (steady.length === 0) return undefined;
    if (this.#fails && steady.some(({ okAt }) => okAt - this.#answered >= LATER_MS)) return 'fails';
    if (this.#times.length < COUNTED_ANSWERS) return undefined;
    const own = Math.min(this.#newest, median(this.#times));
    const compared = steady.filter(({ okMs }) => okMs >= COMPARED_MS);
    if (compared.length === 0) return undefined;
    const others = median(compared.map(({ answerMs }) => answerMs));
    return own >= SLOW_MS && own >= TIMES_SLOWER * others ? 'slow' : undefined;
  }

  #letGo(why: 'fails' | 'slow', now: number): void {
    this.#doublings = now - this.#returnedAt < SOON_MS ? Math.min(MAX_DOUBLINGS, this.#doublings + 1) : 0;
    this.#suspended = why;
    this.#suspendedAt = now;
  }

  #mayReturn(now: number): boolean {
    const newest = Math.max(this.#suspendedAt, ...[...this.#witnesses.values()].map(({ okAt }) => okAt));
    if (now - newest > ALONE_MS) return true;
    const trusted = this.#failures === 0 && this.#okAsked - this.#okSince >= TRUSTED_MS * 2 ** this.#doublings;
    return trusted && this.#newest < SLOW_MS / 2;
  }

  async #ask(): Promise<void> {
    const asked = this.clock.monotonic();
    let timer: TimerHandle | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = this.clock.setTimeout(() => resolve(false), PING_TIMEOUT_MS);
    });
    const answered = this.ping().then(
      () => true,
      () => false,
    );
    const pulse = this.#pulse();
    const ok = await Promise.race([answered, late]);
    if (timer) this.clock.clearTimeout(timer);
    const now = this.clock.monotonic();
    const isLate = pulse() > LATE_MS;
    if (!isLate) this.#times = [...this.#times.slice(1 - COUNTED_ANSWERS), ok ? now - asked : PING_TIMEOUT_MS];
    if (!ok) {
      if (!isLate) this.#failures++;
      return;
    }
    if (!this.#asked || this.#failures > 0) this.#okSince = asked;
    this.#asked = true;
    this.#failures = 0;
    this.#okAsked = asked;
    this.#answered = now;
  }

  /**
   * Measures timer delays.
   * @returns a function that stops and returns the total delay in milliseconds
   */
  #pulse(): () => number {
    let lateMs = 0;
    let due = 0;
    let timer: TimerHandle;
    const late = (): number => Math.max(0, this.clock.monotonic() - due);
    const arm = (): void => {
      due = this.clock.monotonic() + PULSE_MS;
      timer = this.clock.setTimeout(() => {
        lateMs += late();
        arm();
      }, PULSE_MS);
    };
    arm();
    return () => {
      this.clock.clearTimeout(timer);
      return lateMs + late();
    };
  }
}
