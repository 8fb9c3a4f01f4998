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

interface SingleHealthCheckResult {
  readonly ok: boolean;
  readonly reason?: string;
}

interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Partial<Record<HealthCheckName, SingleHealthCheckResult>>>;
}

/** Time limit for the answer of a service to a health check, ms. Load balancers' probes give up soon after. */
const HEALTH_CHECK_TIMEOUT_MS = 1_000;
/** Time for which a result of the health checks is reused, ms, so that frequent probes don't burden the services. */
const READINESS_REUSE_MS = 1_000;

const REJECTED_CHECK_REASON = 'out of reach';
const TIMED_OUT_CHECK_REASON = 'no answer in time';

interface HealthMonitorTiming {
  readonly now: () => number;
  readonly answerMs: number;
  readonly freshMs: number;
}

const REAL_TIMING: HealthMonitorTiming = {
  now: () => performance.now(),
  answerMs: HEALTH_CHECK_TIMEOUT_MS,
  freshMs: READINESS_REUSE_MS,
};

export class HealthMonitor {
  readonly #checks = new Map<HealthCheckName, HealthCheck>();
  #latestReadiness: { readonly at: number; readonly readiness: Promise<Readiness> } | undefined;
  #isStopping = false;
  #hasStarted = false;

  constructor(private readonly times: HealthMonitorTiming = REAL_TIMING) {
    this.addCheck('started', () => this.#hasStarted || 'not yet');
    this.addCheck('leaving', () => !this.#isStopping || 'leaving');
  }

  addCheck(name: HealthCheckName, check: HealthCheck): void {
    this.#checks.set(name, check);
  }

  /** Marks the start as complete: from now on the other checks decide. */
  markStarted(): void {
    this.#hasStarted = true;
    this.#latestReadiness = undefined;
  }

  /** Marks the process as stopping: from now on it is not ready. */
  markStopping(): void {
    this.#isStopping = true;
    this.#latestReadiness = undefined;
  }

  /**
   * Results of all checks. The promise never rejects and takes little more than `answerMs`. Callers share a result
   * until it is `freshMs` old.
   */
  readiness(): Promise<Readiness> {
    const now = this.times.now();
    if (this.#latestReadiness && now - this.#latestReadiness.at < this.times.freshMs)
      return this.#latestReadiness.readiness;
    const readiness = this.#runAllChecks();
    this.#latestReadiness = { at: now, readiness };
    return readiness;
  }

  async #runAllChecks(): Promise<Readiness> {
    const named = HEALTH_CHECK_NAMES.flatMap((name) => {
      const check = this.#checks.get(name);
      return check ? [[name, check] as const] : [];
    });
    const results = await Promise.all(named.map(async ([name, check]) => [name, await this.#runCheck(check)] as const));
    return { ready: results.every(([, { ok }]) => ok), checks: Object.fromEntries(results) };
  }

  async #runCheck(check: HealthCheck): Promise<SingleHealthCheckResult> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(TIMED_OUT_CHECK_REASON), this.times.answerMs);
    });
    try {
      const result = await Promise.race([check(), late]);
      return result === true ? { ok: true } : { ok: false, reason: result };
    } catch {
      return { ok: false, reason: REJECTED_CHECK_REASON };
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Timer that calls `fn` every `ms` milliseconds with the delay of the call, ms. @returns function that stops the timer
 */
export type StartLoopDelayTimer = (ms: number, fn: (lateMs: number) => void) => () => void;

/** Timer on real time. Tests that run the server on a fake clock use it, too. */
const runLoopDelayTimer: StartLoopDelayTimer = (ms, fn) => runPeriodically(REAL_CLOCK, ms, fn);

const LOOP_DELAY_SAMPLE_INTERVAL_MS = 500;
/**
 * Number of samples, together 4 s: the median ignores one long pause (garbage collection, a large parse) and shows
 * lasting overload.
 */
const LOOP_DELAY_SAMPLE_COUNT = 8;

/** Delay of this process's timers. The delay shows that the process has more work than it can do. */
export class EventLoopDelayMeter {
  readonly #delaySamplesMs: number[] = [];
  readonly #stopTimer: () => void;

  constructor(timer: StartLoopDelayTimer = runLoopDelayTimer) {
    this.#stopTimer = timer(LOOP_DELAY_SAMPLE_INTERVAL_MS, (lateMs) => this.#recordDelaySample(lateMs));
  }

  /** Median delay of the timers, ms. */
  get medianDelayMs(): number {
    const sorted = [...this.#delaySamplesMs].sort((a, b) => a - b);
    return sorted[sorted.length >> 1] ?? 0;
  }

  close(): void {
    this.#stopTimer();
  }

  #recordDelaySample(lateMs: number): void {
    this.#delaySamplesMs.push(lateMs);
    if (this.#delaySamplesMs.length > LOOP_DELAY_SAMPLE_COUNT) this.#delaySamplesMs.shift();
  }
}
