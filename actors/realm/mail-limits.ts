/**
 * Limit of mails with links that strangers can request for an address, or that members send to strangers as invitations
 * (conventions.md § Rate limits). The counts are parts of the realm, so the limit holds across restarts of the actor.
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
  const { waits, parts: changes } = countMailsToAddressesIfAllowed(parts, [email], now);
  return { wait: waits[0]!, parts: changes };
}

/**
 * Counts one more mail to each address whose limit allows the mail.
 *
 * @returns `waits`: ms until each address may get a mail, 0 = now; `parts`: the raised counts
 */
export function countMailsToAddressesIfAllowed(
  parts: ActorParts,
  emails: readonly string[],
  now: number,
): { readonly waits: readonly number[]; readonly parts: Record<string, Json> } {
  const counted = new Map<string, readonly number[]>();
  const waits = emails.map((email) => {
    const address = email.toLowerCase();
    const times = counted.get(address) ?? MAIL_REQUEST_TIMES_TABLE.findPartValue(parts, address)?.times ?? [];
    const wait = msUntilCallAllowed(MAIL_RATE_LIMITS_PER_ADDRESS, times, now);
    if (wait > 0) return wait;
    counted.set(address, addRateLimitedCallTime(MAIL_RATE_LIMITS_PER_ADDRESS, times, now));
    return 0;
  });
  if (counted.size === 0) return { waits, parts: {} };
  const others = [...MAIL_REQUEST_TIMES_TABLE.values(parts)]
    .filter(({ address }) => !counted.has(address))
    .sort((a, b) => getNewestMailRequestTime(a) - getNewestMailRequestTime(b));
  const excess = others.length + counted.size - MAX_ADDRESSES_WITH_MAIL_TIMES;
  const gone = others.filter(
    ({ times }, i) => i < excess || !isAnyCallStillCounted(MAIL_RATE_LIMITS_PER_ADDRESS, times, now),
  );
  const changes = [
    ...gone.map(({ address }) => MAIL_REQUEST_TIMES_TABLE.makePartChange(address, null)),
    ...[...counted].map(([address, times]) => MAIL_REQUEST_TIMES_TABLE.makePartChange(address, { address, times })),
  ];
  return { waits, parts: Object.assign({}, ...changes) as Record<string, Json> };
}

export const MAIL_RATE_LIMITS_PER_ADDRESS: readonly RateLimit[] = [
  [3_600_000, 2],
  [24 * 3_600_000, 5],
];
