/**
 * Health: whether this process can do its work. Results contain only words of this program, because the error message
 * of a service may contain its address and a password.
 */
import { REAL_CLOCK, runPeriodically } from '#base/clock';

/** Names of the checks, in the order of the health page. */
export const HEALTH_CHECK_NAMES = ['started', 'leaving', 'loop', 'bus', 'hosts', 'log', 'store', 'lease'] as const;
export type HealthCheckName = (typeof HEALTH_CHECK_NAMES)[number];

/** Returns `true`, or the reason of the failure in words for the operator. A rejected promise fails the check. */
type HealthCheck = () => true | string | Promise<true | string>;

interface HealthCheckResult {
  readonly ok: boolean;
  readonly reason?: string;
}

interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Partial<Record<HealthCheckName, HealthCheckResult>>>;
}

/** Time limit for the answer of a service to a health check, ms. Load balancers' probes give up soon after. */
const ANSWER_MS = 1_000;
/** Time for which a result of the health checks is reused, ms, so that frequent probes don't burden the services. */
const FRESH_MS = 1_000;

const FAILED = 'out of reach';
const SLOW = 'no answer in time';

interface HealthTimes {
  readonly now: () => number;
  readonly answerMs: number;
  readonly freshMs: number;
}

const REAL: HealthTimes = { now: () => performance.now(), answerMs: ANSWER_MS, freshMs: FRESH_MS };

export class HealthMonitor {
  readonly #checks = new Map<HealthCheckName, HealthCheck>();
  #latest: { readonly at: number; readonly readiness: Promise<Readiness> } | undefined;
  #leaving = false;
  #started = false;

  constructor(private readonly times: HealthTimes = REAL) {
    this.add('started', () => this.#started || 'not yet');
    this.add('leaving', () => !this.#leaving || 'leaving');
  }

  add(name: HealthCheckName, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  /** Marks the start as complete: from now on the other checks decide. */
  started(): void {
    this.#started = true;
    this.#latest = undefined;
  }

  /** Marks the process as stopping: from now on it is not ready. */
  leave(): void {
    this.#leaving = true;
    this.#latest = undefined;
  }

  /**
   * Results of all checks. The promise never rejects and takes little more than `answerMs`. Callers share a result
   * until it is `freshMs` old.
   */
  readiness(): Promise<Readiness> {
    const now = this.times.now();
    if (this.#latest && now - this.#latest.at < this.times.freshMs) return this.#latest.readiness;
    const readiness = this.#look();
    this.#latest = { at: now, readiness };
    return readiness;
  }

  async #look(): Promise<Readiness> {
    const named = HEALTH_CHECK_NAMES.flatMap((name) => {
      const check = this.#checks.get(name);
      return check ? [[name, check] as const] : [];
    });
    const results = await Promise.all(named.map(async ([name, check]) => [name, await this.#result(check)] as const));
    return { ready: results.every(([, { ok }]) => ok), checks: Object.fromEntries(results) };
  }

  async #result(check: HealthCheck): Promise<HealthCheckResult> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(SLOW), this.times.answerMs);
    });
    try {
      const result = await Promise.race([check(), late]);
      return result === true ? { ok: true } : { ok: false, reason: result };
    } catch {
      return { ok: false, reason: FAILED };
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Timer that calls `fn` every `ms` milliseconds with the delay of the call, ms. @returns function that stops the timer
 */
export type LoopDelayTimer = (ms: number, fn: (lateMs: number) => void) => () => void;

/** Timer on real time. Tests that run the server on a fake clock use it, too. */
const realTimer: LoopDelayTimer = (ms, fn) => runPeriodically(REAL_CLOCK, ms, fn);

const EVERY_MS = 500;
/**
 * Number of samples, together 4 s: the median ignores one long pause (garbage collection, a large parse) and shows
 * lasting overload.
 */
const SAMPLES = 8;

/** Delay of this process's timers. The delay shows that the process has more work than it can do. */
export class EventLoopDelayMeter {
  readonly #late: number[] = [];
  readonly #stop: () => void;

  constructor(timer: LoopDelayTimer = realTimer) {
    this.#stop = timer(EVERY_MS, (lateMs) => this.#record(lateMs));
  }

  /** Median delay of the timers, ms. */
  get median(): number {
    const sorted = [...this.#late].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }

  close(): void {
    this.#stop();
  }

  #record(lateMs: number): void {
    this.#late.push(lateMs);
    if (this.#late.length > SAMPLES) this.#late.shift();
  }
}
