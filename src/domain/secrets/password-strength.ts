/**
 * Password strength by zxcvbn's estimate (users.md § POST /users). An estimate takes tens of milliseconds, so it runs
 * in a thread. The thread ends after a minute without work, because its dictionaries are large.
 */
import { ThreadPool } from '#base/threads';
import type { PasswordStrengthChecker } from './service.js';
import type { PasswordStrengthJob } from './strength-worker.js';

const MIN_PASSWORD_CHARACTERS = 6;
const MIN_ESTIMATED_PASSWORD_GUESSES = 10_000;
/**
 * Maximum number of characters of a password that are judged. zxcvbn's time grows faster than the length, and the first
 * 100 characters decide.
 */
const MAX_JUDGED_PASSWORD_CHARACTERS = 100;
/** Time limit of an estimate, ms: many times the usual duration, including the start of the thread. */
const STRENGTH_ESTIMATE_TIMEOUT_MS = 30_000;
const STRENGTH_THREAD_IDLE_LIFETIME_MS = 60_000;

export class PasswordStrengthThread implements PasswordStrengthChecker {
  readonly #estimateThread = new ThreadPool<PasswordStrengthJob, number>({
    script: new URL('./strength-worker.js', import.meta.url),
    threads: 1,
    timeoutMs: STRENGTH_ESTIMATE_TIMEOUT_MS,
    idleMs: STRENGTH_THREAD_IDLE_LIFETIME_MS,
  });

  async isStrongEnough(password: string, related: readonly string[]): Promise<boolean> {
    if ([...password].length < MIN_PASSWORD_CHARACTERS) return false;
    return (
      (await this.#estimateThread.runJob({ password: password.slice(0, MAX_JUDGED_PASSWORD_CHARACTERS), related })) >=
      MIN_ESTIMATED_PASSWORD_GUESSES
    );
  }

  /** Ends the thread. Pending estimates fail, and so do the commands that wait for them. */
  close(): Promise<void> {
    return this.#estimateThread.close();
  }
}
