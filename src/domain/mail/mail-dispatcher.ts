/** Sends mails that are due, and decides for each whether to drop it or to try again. It keeps no state of mails. */

import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import { type Mailer, MailerUnavailableError, MailRefusedError, type OutgoingMail } from './mailer.js';

export interface QueuedMail extends OutgoingMail {
  /** Number of attempts to send the mail that have failed. */
  readonly tries: number;
}

/**
 * Outcome of a call of `sendAllOnce` for one mail:
 * - done: sent, or dropped for good;
 * - later: failed; the next attempt follows after a growing pause;
 * - away: like `later`, but the mail server was unavailable for every mail of the call;
 * - unclear: failed while other connections were open, so the mail may not be the cause;
 * - untried: another mail's failure interrupted the call.
 */
export type MailDisposition = 'done' | 'later' | 'away' | 'unclear' | 'untried';

/** Maximum number of connections to the mail server per organization. */
const MAX_CONCURRENT_SENDS_PER_CALL = 4;
/** Number of failures at the beginning of a call after which the mail server counts as unavailable. */
const MAX_FAILURES_ALONE_PER_CALL = 2;
const MINUTE_MS = 60_000;
/**
 * Time for which mails go over one connection after a failure on one of several, ms. It doubles with each such failure,
 * until the maximum number of connections works without one.
 */
const MIN_SINGLE_CONNECTION_MS = MINUTE_MS;
const MAX_SINGLE_CONNECTION_MS = 60 * MINUTE_MS;
export const MAX_MAIL_RETRY_DELAY_MS = 60 * MINUTE_MS;
/** Age at which a mail that could not be sent is dropped, ms; mail servers commonly use the same. */
const MAIL_GIVE_UP_AFTER_MS = 3 * 24 * 60 * MINUTE_MS;
/** Interval of log lines while the mail server is unavailable, ms. */
const MAILER_UNAVAILABLE_LOG_INTERVAL_MS = 60 * MINUTE_MS;

/** Time until the next attempt, ms: none for a new mail, then a minute, doubled each time, at most an hour. */
export const mailRetryDelayMs = (tries: number): number =>
  tries === 0 ? 0 : Math.min(MINUTE_MS * 2 ** (tries - 1), MAX_MAIL_RETRY_DELAY_MS);

export class MailDispatcher {
  /** Earliest time of the next log line about the mail server, wall clock, ms. */
  #nextUnavailableLogAt = Number.NEGATIVE_INFINITY;
  /** New mails that wait for the mail server and are not counted in a log line yet. */
  #unloggedUnavailableMails = 0;
  /** Monotonic time until which mails go over one connection, ms. */
  #singleConnectionUntil = Number.NEGATIVE_INFINITY;
  /** Length of the next time with one connection, ms. */
  #nextSingleConnectionMs = MIN_SINGLE_CONNECTION_MS;

  constructor(
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Sends mails. Never rejects. The first mail goes alone, and the second one too if the first fails. Mail servers
   * limit connections, so the mail may not be the cause of a failure while several are open. Such a failure interrupts
   * the call, and the next call must begin with that mail.
   *
   * @returns outcomes in the order of the mails
   */
  async sendAllOnce(mails: readonly QueuedMail[]): Promise<readonly MailDisposition[]> {
    const fates = new Array<MailDisposition>(mails.length).fill('untried');
    const outages = new Map<number, MailerUnavailableError>();
    let next = 0;
    const sendNext = async (): Promise<void> => {
      const i = next++;
      try {
        await this.mailer.send(mails[i]!);
        fates[i] = 'done';
      } catch (error) {
        if (error instanceof MailerUnavailableError) outages.set(i, error);
        else fates[i] = this.#logFailureAndDecideRetry(mails[i]!, error as Error, false);
      }
    };
    while (next < Math.min(mails.length, MAX_FAILURES_ALONE_PER_CALL) && outages.size === next) await sendNext();
    const isAway = outages.size === next;
    for (const [i, error] of outages) fates[i] = this.#logFailureAndDecideRetry(mails[i]!, error, isAway);
    if (isAway) return fates;
    outages.clear();
    const work = async (): Promise<void> => {
      while (next < mails.length && outages.size === 0) await sendNext();
    };
    const isSingle = this.clock.monotonic() < this.#singleConnectionUntil;
    const connections = Math.min(isSingle ? 1 : MAX_CONCURRENT_SENDS_PER_CALL, mails.length - next);
    await Promise.all(Array.from({ length: connections }, work));
    for (const i of outages.keys()) fates[i] = 'unclear';
    this.#noteConnections(connections, outages.size > 0);
    return fates;
  }

  /** Decides how many connections the next calls use. A failure of the only connection says nothing about several. */
  #noteConnections(connections: number, hasFailure: boolean): void {
    if (hasFailure && connections > 1) {
      this.#singleConnectionUntil = this.clock.monotonic() + this.#nextSingleConnectionMs;
      this.#nextSingleConnectionMs = Math.min(2 * this.#nextSingleConnectionMs, MAX_SINGLE_CONNECTION_MS);
    } else if (connections === MAX_CONCURRENT_SENDS_PER_CALL) this.#nextSingleConnectionMs = MIN_SINGLE_CONNECTION_MS;
  }

  /**
   * Logs the failure of a mail without texts and addresses, which are private.
   *
   * @param isAway the mail server was unavailable for every mail of the call
   */
  #logFailureAndDecideRetry({ id, date, tries }: QueuedMail, err: Error, isAway: boolean): MailDisposition {
    const reason = err.message;
    if (err instanceof MailRefusedError) {
      this.logger.warn({ mail: id, reason }, 'a mail was refused for good and is dropped');
      return 'done';
    }
    if (this.clock.now() - date >= MAIL_GIVE_UP_AFTER_MS) {
      this.logger.error({ mail: id, tries, reason }, 'a mail could not be sent for three days and is dropped');
      return 'done';
    }
    if (isAway) {
      if (tries === 0) this.#countAndMaybeLogUnavailable(err);
      return 'away';
    }
    const level = tries === 0 ? 'warn' : 'debug';
    this.logger[level]({ mail: id, tries, reason }, 'a mail could not be sent and is tried again later');
    return 'later';
  }

  /**
   * Logs that the mail server is unavailable, at most once an hour: one line per mail would flood the log.
   */
  #countAndMaybeLogUnavailable({ message: reason }: Error): void {
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
