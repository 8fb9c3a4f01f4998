/**
 * Whether this host's own way to the Store works, and whether it should let others have its partitions because theirs does
 * and its own does not (docs/decisions/019-store-lost-by-one.md).
 *
 * A short question each second tells. What the others found is in their heartbeats. Only a host that sees that the Store
 * works for somebody else, after it had stopped working here, lets go: when nobody has the Store, nobody moves anything.
 */
import { type Clock, every, type TimerHandle } from '../clock/index.js';
import type { HostRecord } from './host-record.js';

export type StoreState =
  | 'works'
  | 'fails'
  /** Far slower than for the others. */
  | 'slow'
  /** It does not say: a version that does not look, or it has just started. */
  | 'unknown';

/** What a heartbeat says of the Store. */
export interface StoreReport {
  readonly state: StoreState;
  /** For how long every question was answered, up to the last one that was; milliseconds. */
  readonly okMs: number;
  /** Since that one was asked; milliseconds. */
  readonly ageMs: number;
  /** Median time of the answers of half a minute, or of the newest, whichever is longer. */
  readonly answerMs: number;
}

/** Between two questions. */
const PING_EVERY_MS = 1_000;
/** One that is not answered in this time has failed. */
const PING_TIMEOUT_MS = 900;
/** A process that is late by so much would measure itself. */
const LATE_MS = 250;
/** Without an answer for this long, twice at least, the Store is lost. */
const FAILS_MS = 4_000;
/** Somebody else's answer must be so much later than our last one: else it may be from before the Store went away for all. */
const LATER_MS = 2_500;
/** And the Store must have worked for that host for this long: when it comes back to all, it comes to some a little later. */
const STEADY_MS = 5_000;
/** What others said counts for this long. */
const RECENT_MS = 4_000;
/** Without anybody else who has the Store for this long, there is nobody to leave everything to. */
const ALONE_MS = 8_000;
/** While a question is open: how late timers are meanwhile tells whether it is the process that is slow. */
const PULSE_MS = 100;
/** Answers whose median counts: of half a minute, since a host that takes over from another one is slow for a while. */
const COUNTED_ANSWERS = 30;
/** Of those that are reported, and that count for coming back. */
const NEWEST_ANSWERS = 5;
/** The Store has worked for the others for longer than answers count: none of ours is from before. */
const COMPARED_MS = 35_000;
const SLOW_MS = 500;
const TIMES_SLOWER = 10;
/** Who let go gets partitions again when the Store has worked for this long; twice as long each time that it fails again soon. */
const TRUSTED_MS = 5_000;
const MAX_DOUBLINGS = 4;
const SOON_MS = 300_000;

/** When somebody else's Store worked, by our own clock. */
interface Witness {
  readonly beat: number;
  readonly token: string;
  /** It worked then, or later. */
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

export class StoreWatch {
  #stop: (() => void) | undefined;
  /** When the first and the last of the questions was asked that were all answered; monotonic. */
  #okSince = 0;
  #okAsked = 0;
  /** When the last answer came. */
  #answered = 0;
  #failures = 0;
  #asked = false;
  #times: number[] = [];
  #witnesses = new Map<string, Witness>();
  /** When the keys were last read. */
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
    this.#stop = every(this.clock, PING_EVERY_MS, (lateMs) => {
      if (lateMs <= LATE_MS) void this.#ask();
    });
  }

  stop(): void {
    this.#stop?.();
  }

  /** It has let go, and is to be given nothing. */
  get suspended(): boolean {
    return this.#suspended !== undefined;
  }

  get state(): StoreState {
    if (this.#suspended) return this.#suspended;
    if (this.#fails) return 'fails';
    return this.#times.length === 0 ? 'unknown' : 'works';
  }

  report(): StoreReport {
    const now = this.clock.monotonic();
    const ok = this.#asked && this.#failures === 0;
    return {
      state: this.state,
      okMs: ok ? Math.round(this.#okAsked - this.#okSince) : 0,
      ageMs: Math.round(now - this.#okAsked),
      // When it changes for all, nobody compares what one knows already with what others don't.
      answerMs: Math.round(Math.max(this.#newest, median(this.#times))),
    };
  }

  /**
   * With what the others say now. Returns whether this host has just let go (`suspended`), or come back.
   * @param peers others that live @param sent when the keys were asked for
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
    // What is slow is judged anew.
    this.#times = this.#times.slice(-NEWEST_ANSWERS);
    return 'returned';
  }

  get #newest(): number {
    return median(this.#times.slice(-NEWEST_ANSWERS));
  }

  get #fails(): boolean {
    return this.#failures >= 2 && this.clock.monotonic() - this.#answered >= FAILS_MS;
  }

  /** A heartbeat that was not there at the look before was written after it. */
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

  /** @returns how to end, which tells by how much timers were late since, all together; milliseconds */
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
