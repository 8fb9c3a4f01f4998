/** Persisted state of a mail actor. Each mail is a part, deleted when it is sent. */
import type { Json, JsonObject } from '#base';
import type { QueuedMail } from '#domain/mail';

export interface MailState extends JsonObject {
  /** Number of the last mail that was stored. */
  readonly last: number;
}

/** A mail that waits to be sent. */
export interface Kept extends JsonObject {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Wall time at which the mail was stored, ms. */
  readonly date: number;
  readonly tries: number;
  /** Wall time of the next attempt, ms. */
  readonly next: number;
}

export const MAIL_PART = 'mail/';

type Parts = ReadonlyMap<string, Json>;

/** Part → mail, oldest first. */
export const keptIn = (parts: Parts): [string, Kept][] =>
  [...parts]
    .map(([part, mail]): [string, Kept] => [part, mail as unknown as Kept])
    .sort(([a], [b]) => numberOf(a) - numberOf(b));

export const numberOf = (part: string): number => Number(part.slice(MAIL_PART.length));

/**
 * The mail as the mail server gets it. Its id contains the time, so that ids differ from those before a loss of data.
 *
 * @param open puts the sealed links of a text in clear
 */
export const waiting = (
  realm: number,
  part: string,
  { to, subject, text, date, tries }: Kept,
  open: (text: string) => string,
): QueuedMail => ({
  id: `${realm}-${numberOf(part)}-${date.toString(36)}`,
  to,
  subject,
  text: open(text),
  date,
  tries,
});

/** Wall time of the first attempt that is due, ms; null: no mail waits. */
export function nextTry(mails: Iterable<Kept>): number | null {
  let first: number | null = null;
  for (const { next } of mails) if (first === null || next < first) first = next;
  return first;
}
