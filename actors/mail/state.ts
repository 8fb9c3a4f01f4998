/** Persisted state of a mail actor. Each mail is a part, deleted when it is sent. */

import type { JsonObject } from '#base';
import { correctTimeFromAhead } from '#base/clock';
import { mailRetryDelayMs, type QueuedMail } from '#domain/mail';
import { ActorPartAccessor, type ActorParts } from '#model';
import type { MailToSend } from '#model/commands';

export interface MailActorState extends JsonObject {
  /** Number of the last mail that was stored. */
  readonly last: number;
  /** End of the pause after a failed run, wall time, ms; absent: no run has failed. */
  readonly pausedUntil?: number;
}

/** A mail that waits to be sent. */
export interface StoredMail extends JsonObject, MailToSend {
  /** Wall time at which the mail was stored, ms. */
  readonly date: number;
  readonly tries: number;
  /** Wall time of the next attempt to send the mail, ms. */
  readonly next: number;
}

/** Parts with the waiting mails, by number of the mail. */
export const WAITING_MAIL_TABLE = new ActorPartAccessor<StoredMail>('mail/');

export type WaitingMail = readonly [number: string, mail: StoredMail];

/** Waiting mails with their numbers, in the order in which they are due, then by number. */
export const listWaitingMails = (parts: ActorParts): WaitingMail[] =>
  [...WAITING_MAIL_TABLE.entries(parts)].sort(
    ([a, first], [b, second]) => first.next - second.next || Number(a) - Number(b),
  );

/**
 * A waiting mail in the form that the mail server gets. Its id contains the time, so that ids differ from those before
 * a loss of data.
 *
 * @param open decrypts the sealed links in a text
 */
export const toUnsealedQueuedMail = (
  realm: number,
  number: string,
  { to, subject, text, html, thread, unsubscribe, date, tries }: StoredMail,
  open: (text: string) => string,
): QueuedMail => ({
  id: `${realm}-${Number(number)}-${date.toString(36)}`,
  to,
  subject,
  text: open(text),
  html: html === undefined ? undefined : open(html),
  thread,
  unsubscribe: unsubscribe === undefined ? undefined : open(unsubscribe),
  date,
  tries,
});

/**
 * Time of the next attempt to send a mail, wall time, ms. A time beyond the mail's retry delay was stored while the
 * clock was ahead: the mail is due now.
 */
export const timeOfNextMailAttempt = ({ tries, next }: StoredMail, now: number): number =>
  correctTimeFromAhead(next, mailRetryDelayMs(tries), now);

/** Earliest time at which a waiting mail is due, wall time, ms; null: no mail waits. */
export function computeNextMailAttemptTime(mails: Iterable<StoredMail>, now: number): number | null {
  let first: number | null = null;
  for (const mail of mails) {
    const next = timeOfNextMailAttempt(mail, now);
    if (first === null || next < first) first = next;
  }
  return first;
}
