/** Persisted state of a mail actor. Mails are parts of their own, gone when they are sent. */
import type { Json, JsonObject } from '#base';
import type { QueuedMail } from '#domain/mail';

export interface MailState extends JsonObject {
  readonly phase: string;
  /** Number of the last mail taken. */
  readonly last: number;
}

/** A mail that waits. */
export interface Kept extends JsonObject {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** When it was taken, ms. */
  readonly date: number;
  readonly tries: number;
  /** When to try (again), ms. */
  readonly next: number;
}

export const MAIL_PART = 'mail/';

type Parts = ReadonlyMap<string, Json>;

/** Part → mail, in the order in which they were taken. */
export const keptIn = (parts: Parts): [string, Kept][] =>
  [...parts]
    .map(([part, mail]): [string, Kept] => [part, mail as unknown as Kept])
    .sort(([a], [b]) => numberOf(a) - numberOf(b));

export const numberOf = (part: string): number => Number(part.slice(MAIL_PART.length));

/** @param open shows the links of a text. The time of taking keeps ids apart that a server gave before it lost its data. */
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

/** When the first of them is to be tried, ms; null: there is none. */
export function nextTry(mails: Iterable<Kept>): number | null {
  let first: number | null = null;
  for (const { next } of mails) if (first === null || next < first) first = next;
  return first;
}
