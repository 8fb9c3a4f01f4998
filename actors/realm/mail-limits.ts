/**
 * Letters to people who want to join. How many an address got is part of the realm's state: whoever asks again after the actor
 * moved to another host, or was loaded anew, is counted on.
 */
import type { Limit } from '#base';
import { type Json, stillCounts, waitFor, withTime } from '#base';
import { type Parts, withPrefix } from './state.js';

/** Times at which an address got letters. */
interface MailTimes {
  readonly address: string;
  /** ms, ascending. */
  readonly times: readonly number[];
}

export const MAILS_PART = 'letters/';
/** Addresses that are counted at a time; of more, the one that was longest quiet is forgotten. */
const MAX_ADDRESSES = 10_000;

const partOf = (address: string): string => MAILS_PART + address;
const newest = ({ times }: MailTimes): number => times.at(-1) ?? 0;

/** One more letter to an address: the milliseconds until it may get it, or the parts that count it. */
export function countMail(
  parts: Parts,
  email: string,
  now: number,
): { readonly wait: number; readonly parts: Record<string, Json> } {
  const address = email.toLowerCase();
  const before = (parts.get(partOf(address)) as unknown as MailTimes | undefined)?.times ?? [];
  const wait = waitFor(MAIL_LIMITS, before, now);
  if (wait > 0) return { wait, parts: {} };
  const others = [...withPrefix<MailTimes>(parts, MAILS_PART)].filter((of) => of.address !== address);
  const gone = others.filter(({ times }) => !stillCounts(MAIL_LIMITS, times, now));
  if (others.length - gone.length >= MAX_ADDRESSES) {
    gone.push(others.reduce((quiet, of) => (newest(of) < newest(quiet) ? of : quiet)));
  }
  const counted: MailTimes = { address, times: withTime(MAIL_LIMITS, before, now) };
  return {
    wait: 0,
    parts: {
      ...Object.fromEntries(gone.map((of) => [partOf(of.address), null])),
      [partOf(address)]: counted as unknown as Json,
    },
  };
}

export const MAIL_LIMITS: readonly Limit[] = [
  [3_600_000, 2],
  [24 * 3_600_000, 5],
];
