/**
 * Whether this process can do its work. Answers are made of words of this program only: what a service said when it failed may
 * hold its address and a password.
 */

/** In the order in which they are shown. */
export const CHECKS = ['started', 'leaving', 'loop', 'bus', 'hosts', 'log', 'store', 'lease'] as const;
export type CheckName = (typeof CHECKS)[number];

/** `true`, or why not, in words for the person who looks. A promise where somebody has to be asked; rejecting is failing. */
export type Check = () => true | string | Promise<true | string>;

export interface CheckResult {
  readonly ok: boolean;
  readonly reason?: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Partial<Record<CheckName, CheckResult>>>;
}

/** A service that does not answer for this long is as good as away; probes give up soon after. */
const ANSWER_MS = 1_000;
/** However often somebody asks, services are asked at most this often. */
const FRESH_MS = 1_000;

const FAILED = 'out of reach';
const SLOW = 'no answer in time';

export interface HealthTimes {
  readonly now: () => number;
  readonly answerMs: number;
  readonly freshMs: number;
}

const REAL: HealthTimes = { now: () => performance.now(), answerMs: ANSWER_MS, freshMs: FRESH_MS };

export class Health {
  readonly #checks = new Map<CheckName, Check>();
  #latest: { readonly at: number; readonly readiness: Promise<Readiness> } | undefined;
  #leaving = false;
  #started = false;

  constructor(private readonly times: HealthTimes = REAL) {
    this.add('started', () => this.#started || 'not yet');
    this.add('leaving', () => !this.#leaving || 'leaving');
  }

  add(name: CheckName, check: Check): void {
    this.#checks.set(name, check);
  }

  /** Everything is up: from now on the checks decide. */
  started(): void {
    this.#started = true;
    this.#latest = undefined;
  }

  /** From now on it is not ready any more, whatever the rest. */
  leave(): void {
    this.#leaving = true;
    this.#latest = undefined;
  }

  /** Never rejects, and takes little more than `answerMs`. Whoever asks while it is being found out gets the same. */
  readiness(): Promise<Readiness> {
    const now = this.times.now();
    if (this.#latest && now - this.#latest.at < this.times.freshMs) return this.#latest.readiness;
    const readiness = this.#look();
    this.#latest = { at: now, readiness };
    return readiness;
  }

  async #look(): Promise<Readiness> {
    const named = CHECKS.flatMap((name) => {
      const check = this.#checks.get(name);
      return check ? [[name, check] as const] : [];
    });
    const results = await Promise.all(named.map(async ([name, check]) => [name, await this.#result(check)] as const));
    return { ready: results.every(([, { ok }]) => ok), checks: Object.fromEntries(results) };
  }

  async #result(check: Check): Promise<CheckResult> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(SLOW), this.times.answerMs);
    });
    try {
      const said = await Promise.race([check(), late]);
      return said === true ? { ok: true } : { ok: false, reason: said };
    } catch {
      return { ok: false, reason: FAILED };
    } finally {
      clearTimeout(timer);
    }
  }
}
