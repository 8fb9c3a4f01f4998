/**
 * Limit of mails with links that strangers can request for an address (conventions.md § Rate limits). The counts are
 * parts of the realm, so the limit holds across restarts of the actor.
 */

import { addRateLimitedCallTime, isAnyCallStillCounted, type Json, msUntilCallAllowed, type RateLimit } from '#base';
import { ActorPartAccessor, type ActorParts } from '#model';

/** Times of the mails that were requested for one address. */
interface AddressMailRequestTimes {
  readonly address: string;
  /** Times of the requests for mails, ms, ascending. */
  readonly times: readonly number[];
}

/** Prefix of the parts with counts of mails; `letters/` is the stored name. */
export const MAIL_REQUEST_TIMES_PART_PREFIX = 'letters/';
/** Maximum number of addresses with a count; beyond that, the address whose last mail is the oldest is dropped. */
const MAX_ADDRESSES_WITH_MAIL_TIMES = 10_000;

const MAIL_REQUEST_TIMES_TABLE = new ActorPartAccessor<AddressMailRequestTimes>(MAIL_REQUEST_TIMES_PART_PREFIX);
const getNewestMailRequestTime = ({ times }: AddressMailRequestTimes): number => times.at(-1) ?? 0;

/**
 * Counts one more mail to an address, if its limit allows the mail.
 *
 * @returns `wait`: ms until the address may get a mail, 0 = now; `parts`: the raised count
 */
export function countMailToAddressIfAllowed(
  parts: ActorParts,
  email: string,
  now: number,
): { readonly wait: number; readonly parts: Record<string, Json> } {
  const address = email.toLowerCase();
  const before = MAIL_REQUEST_TIMES_TABLE.findPartValue(parts, address)?.times ?? [];
  const wait = msUntilCallAllowed(MAIL_RATE_LIMITS_PER_ADDRESS, before, now);
  if (wait > 0) return { wait, parts: {} };
  const others = [...MAIL_REQUEST_TIMES_TABLE.values(parts)].filter((of) => of.address !== address);
  const gone = others.filter(({ times }) => !isAnyCallStillCounted(MAIL_RATE_LIMITS_PER_ADDRESS, times, now));
  if (others.length - gone.length >= MAX_ADDRESSES_WITH_MAIL_TIMES) {
    gone.push(
      others.reduce((oldest, of) => (getNewestMailRequestTime(of) < getNewestMailRequestTime(oldest) ? of : oldest)),
    );
  }
  const counted: AddressMailRequestTimes = {
    address,
    times: addRateLimitedCallTime(MAIL_RATE_LIMITS_PER_ADDRESS, before, now),
  };
  return {
    wait: 0,
    parts: {
      ...Object.fromEntries(gone.map((of) => [MAIL_REQUEST_TIMES_TABLE.partNameOf(of.address), null])),
      ...MAIL_REQUEST_TIMES_TABLE.makePartChange(address, counted),
    },
  };
}

export const MAIL_RATE_LIMITS_PER_ADDRESS: readonly RateLimit[] = [
  [3_600_000, 2],
  [24 * 3_600_000, 5],
];
