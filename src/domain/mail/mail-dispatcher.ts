/** Sends mails that are due, and decides for each whether to drop it or to try again. It keeps no state of mails. */

import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import { type Mailer, MailerUnavailableError, MailRefusedError, type OutgoingMail } from './mailer.js';

export interface QueuedMail extends OutgoingMail {
  /** Number of attempts to send the mail that have failed. */
  readonly tries: number;
}

/** Outcome of an attempt to send a mail. done: sent, or dropped for good. later: try again. */
export type MailDisposition = 'done' | 'later';

/** Maximum number of connections to the mail server per organization. */
const MAX_CONCURRENT_SENDS_PER_CALL = 4;
const MINUTE_MS = 60_000;
const MAX_RETRY_DELAY_MS = 60 * MINUTE_MS;
/** Age at which a mail that could not be sent is dropped, ms; mail servers commonly use the same. */
const MAIL_GIVE_UP_AFTER_MS = 3 * 24 * 60 * MINUTE_MS;
/** Interval of log lines while the mail server is unavailable, ms. */
const MAILER_UNAVAILABLE_LOG_INTERVAL_MS = 60 * MINUTE_MS;

/** Time until the next attempt, ms: a minute, doubled each time, at most an hour. @param tries at least 1 */
export const mailRetryDelayMs = (tries: number): number => Math.min(MINUTE_MS * 2 ** (tries - 1), MAX_RETRY_DELAY_MS);

export class MailDispatcher {
  /** Earliest time of the next log line about the mail server, wall clock, ms. */
  #nextUnavailableLogAt = Number.NEGATIVE_INFINITY;
  /** New mails that wait for the mail server and are not counted in a log line yet. */
  #unloggedUnavailableMails = 0;

  constructor(
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Sends mails. Never rejects. @returns outcomes in the order of the mails */
  async sendAllOnce(mails: readonly QueuedMail[]): Promise<readonly MailDisposition[]> {
    const fates = new Array<MailDisposition>(mails.length);
    let next = 0;
    let away: MailerUnavailableError | undefined;
    const work = async (): Promise<void> => {
      for (let i = next++; i < mails.length; i = next++) {
        const mail = mails[i]!;
        try {
          // The mail server was unavailable for an earlier mail of this call: don't try the others.
          if (away) throw away;
          await this.mailer.send(mail);
          fates[i] = 'done';
        } catch (error) {
          if (error instanceof MailerUnavailableError) away = error;
          fates[i] = this.#logFailureAndDecideRetry(mail, error as Error);
        }
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_SENDS_PER_CALL }, work));
    return fates;
  }

  /** Logs the failure of a mail without texts and addresses, which are private. */
  #logFailureAndDecideRetry({ id, date, tries }: QueuedMail, err: Error): MailDisposition {
    const reason = err.message;
    if (err instanceof MailRefusedError) {
      this.logger.warn({ mail: id, reason }, 'a mail was refused for good and is dropped');
      return 'done';
    }
    if (this.clock.now() - date >= MAIL_GIVE_UP_AFTER_MS) {
      this.logger.error({ mail: id, tries, reason }, 'a mail could not be sent for three days and is dropped');
      return 'done';
    }
    if (err instanceof MailerUnavailableError) {
      if (tries === 0) this.#countAndMaybeLogUnavailable(err);
      return 'later';
    }
    const level = tries === 0 ? 'warn' : 'debug';
    this.logger[level]({ mail: id, tries, reason }, 'a mail could not be sent and is tried again later');
    return 'later';
  }

  /**
   * Logs that the mail server is unavailable, at most once an hour: one line per mail would flood the log.
   */
  #countAndMaybeLogUnavailable({ message: reason }: MailerUnavailableError): void {
    this.#unloggedUnavailableMails++;
    const now = this.clock.now();
    if (now < this.#nextUnavailableLogAt) return;
    this.logger.warn(
      { mails: this.#unloggedUnavailableMails, reason },
      'the mail server is away: mails wait and are tried again later',
    );
    this.#unloggedUnavailableMails = 0;
    this.#nextUnavailableLogAt = now + MAILER_UNAVAILABLE_LOG_INTERVAL_MS;
  }
}
