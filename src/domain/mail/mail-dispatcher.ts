/** Tries to send what is due, and says what is to become of each mail; keeps nothing. */

import type { Logger } from '#base';
import type { Clock } from '#base/clock';
import type { Mail, Mailer } from './mailer.js';
import { MailerUnavailable, MailRefused } from './mailer.js';

export interface QueuedMail extends Mail {
  /** Failed attempts so far. */
  readonly tries: number;
}

/** done: it is sent, or nobody should try again. */
export type MailOutcome = 'done' | 'later';

/** Connections to the mail server of one organization. */
const MAX_CONNECTIONS = 4;
const MINUTE_MS = 60_000;
const MAX_RETRY_DELAY_MS = 60 * MINUTE_MS;
/** As long as mail servers commonly try. */
const GIVE_UP_MS = 3 * 24 * 60 * MINUTE_MS;
/** While no mail gets through, the log says so this often, however many mails wait. */
const LOG_INTERVAL_MS = 60 * MINUTE_MS;

/** Until the next attempt, ms: a minute, then twice as long each time, an hour at most. @param tries at least 1 */
export const retryDelay = (tries: number): number => Math.min(MINUTE_MS * 2 ** (tries - 1), MAX_RETRY_DELAY_MS);

export class MailDispatcher {
  /** When the log may say again that the mail server is away; wall clock, ms. */
  #sayAgain = Number.NEGATIVE_INFINITY;
  /** New mails that wait for the mail server, and of which the log has no line yet. */
  #unsaid = 0;

  constructor(
    private readonly mailer: Mailer,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Never rejects. The order of the answers is that of the mails. */
  async send(mails: readonly QueuedMail[]): Promise<readonly MailOutcome[]> {
    const fates = new Array<MailOutcome>(mails.length);
    let next = 0;
    let away: MailerUnavailable | undefined;
    const work = async (): Promise<void> => {
      for (let i = next++; i < mails.length; i = next++) {
        const mail = mails[i]!;
        try {
          // One that can't be reached isn't asked for every mail.
          if (away) throw away;
          await this.mailer.send(mail);
          fates[i] = 'done';
        } catch (error) {
          if (error instanceof MailerUnavailable) away = error;
          fates[i] = this.#failed(mail, error as Error);
        }
      }
    };
    await Promise.all(Array.from({ length: MAX_CONNECTIONS }, work));
    return fates;
  }

  /** Texts and addresses stay out of the log: they are people's own. */
  #failed({ id, date, tries }: QueuedMail, err: Error): MailOutcome {
    if (err instanceof MailRefused) {
      this.logger.warn({ mail: id, err }, 'a mail was refused for good and is dropped');
      return 'done';
    }
    if (this.clock.now() - date >= GIVE_UP_MS) {
      const reason = err.message;
      this.logger.error({ mail: id, tries, reason }, 'a mail could not be sent for three days and is dropped');
      return 'done';
    }
    if (err instanceof MailerUnavailable) {
      if (tries === 0) this.#away(err);
      return 'later';
    }
    const level = tries === 0 ? 'warn' : 'debug';
    this.logger[level]({ mail: id, tries, err }, 'a mail could not be sent and is tried again later');
    return 'later';
  }

  /** A line for each mail would bury the log of a server that has no mail server. */
  #away({ message: reason }: MailerUnavailable): void {
    this.#unsaid++;
    const now = this.clock.now();
    if (now < this.#sayAgain) return;
    this.logger.warn({ mails: this.#unsaid, reason }, 'the mail server is away: mails wait and are tried again later');
    this.#unsaid = 0;
    this.#sayAgain = now + LOG_INTERVAL_MS;
  }
}
