/**
 * How hard a password is to guess, by zxcvbn's estimate (users.md § POST /users). It takes tens of milliseconds, so it is made in a
 * thread, which goes when nobody needs it: the dictionaries are large.
 */
import { ThreadPool } from '#base/threads';
import type { PasswordStrength } from './service.js';
import type { StrengthJob } from './strength-worker.js';

const MIN_LENGTH = 6;
const MIN_GUESSES = 10_000;
/** zxcvbn's time grows faster than the length; what is longer is strong enough by its first characters, or not. */
const MAX_JUDGED_LENGTH = 100;
/** Many times what it takes, the start of the thread included. */
const TIMEOUT_MS = 30_000;
const IDLE_MS = 60_000;

export class PasswordThread implements PasswordStrength {
  readonly #threads = new ThreadPool<StrengthJob, number>({
    script: new URL('./strength-worker.js', import.meta.url),
    threads: 1,
    timeoutMs: TIMEOUT_MS,
    idleMs: IDLE_MS,
  });

  async strongEnough(password: string, related: readonly string[]): Promise<boolean> {
    if ([...password].length < MIN_LENGTH) return false;
    return (await this.#threads.run({ password: password.slice(0, MAX_JUDGED_LENGTH), related })) >= MIN_GUESSES;
  }

  /** Passwords under way are not judged any more: their commands fail. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}
