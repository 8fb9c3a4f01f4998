/**
 * Limits of mails with links that strangers can request for an address, or that members send to strangers as
 * invitations (conventions.md § Rate limits), and of the invitations of a member. The counts are parts of the realm, so
 * the limits hold across restarts of the actor.
 *
 * Each kind of mail has a count of its own, so that password resets don't hold a sign-up back. An address gets two
 * kinds at most: invitations go to addresses without an account, password resets to addresses that have an account.
 */

import { addRateLimitedCallTime, isAnyCallStillCounted, type Json, msUntilCallAllowed, type RateLimit } from '#base';
import { isAdminOrOwner } from '#domain/people';
import { ActorPartAccessor, type ActorParts } from '#model';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';

/** Times of the mails that were requested for one address, by kind: ms, ascending. */
interface AddressMailRequestTimes {
  readonly address: string;
  /** Requests for invitations; in parts of earlier versions those for mails of all kinds. */
  readonly times: readonly number[];
  readonly signUps?: readonly number[];
  readonly passwordResets?: readonly number[];
}

export type LimitedMailKind = 'invitation' | 'signUp' | 'passwordReset';

const FIELD_BY_MAIL_KIND = { invitation: 'times', signUp: 'signUps', passwordReset: 'passwordResets' } as const;

/** Prefix of the parts with counts of mails; `letters/` is the stored name. */
export const MAIL_REQUEST_TIMES_PART_PREFIX = 'letters/';
/** Maximum number of addresses with a count; beyond that, the address whose last mail is the oldest is dropped. */
const MAX_ADDRESSES_WITH_MAIL_TIMES = 10_000;

const MAIL_REQUEST_TIMES_TABLE = new ActorPartAccessor<AddressMailRequestTimes>(MAIL_REQUEST_TIMES_PART_PREFIX);
const TIME_FIELDS = Object.values(FIELD_BY_MAIL_KIND);
const getNewestMailRequestTime = (of: AddressMailRequestTimes): number =>
  Math.max(...TIME_FIELDS.map((field) => of[field]?.at(-1) ?? 0));
const isAnyMailStillCounted = (of: AddressMailRequestTimes, now: number): boolean =>
  TIME_FIELDS.some((field) => isAnyCallStillCounted(MAIL_RATE_LIMITS_PER_ADDRESS, of[field] ?? [], now));

/**
 * Counts one more mail of this kind to an address, if its limit allows the mail.
 *
 * @returns `wait`: ms until the address may get a mail, 0 = now; `parts`: the raised count
 */
export function countMailToAddressIfAllowed(
  parts: ActorParts,
  kind: LimitedMailKind,
  email: string,
  now: number,
): { readonly wait: number; readonly parts: Record<string, Json> } {
  const { waits, parts: changes } = countMailsToAddressesIfAllowed(parts, kind, [email], now);
  return { wait: waits[0]!, parts: changes };
}

/**
 * Counts one more mail of this kind to each address whose limit allows the mail.
 *
 * @returns `waits`: ms until each address may get a mail, 0 = now; `parts`: the raised counts
 */
export function countMailsToAddressesIfAllowed(
  parts: ActorParts,
  kind: LimitedMailKind,
  emails: readonly string[],
  now: number,
): { readonly waits: readonly number[]; readonly parts: Record<string, Json> } {
  const field = FIELD_BY_MAIL_KIND[kind];
  const counted = new Map<string, AddressMailRequestTimes>();
  const waits = emails.map((email) => {
    const address = email.toLowerCase();
    const before = counted.get(address) ??
      MAIL_REQUEST_TIMES_TABLE.findPartValue(parts, address) ?? { address, times: [] };
    const times = before[field] ?? [];
    const wait = msUntilCallAllowed(MAIL_RATE_LIMITS_PER_ADDRESS, times, now);
    if (wait > 0) return wait;
    counted.set(address, { ...before, [field]: addRateLimitedCallTime(MAIL_RATE_LIMITS_PER_ADDRESS, times, now) });
    return 0;
  });
  if (counted.size === 0) return { waits, parts: {} };
  const gone: AddressMailRequestTimes[] = [];
  const others: AddressMailRequestTimes[] = [];
  for (const one of MAIL_REQUEST_TIMES_TABLE.values(parts)) {
    if (!counted.has(one.address)) (isAnyMailStillCounted(one, now) ? others : gone).push(one);
  }
  const excess = others.length + counted.size - MAX_ADDRESSES_WITH_MAIL_TIMES;
  // Only then, and by one time for each: a comparison that lists all times takes 0.5 s for 10,000 addresses.
  if (excess > 0) {
    const byAge = others.map((one) => [getNewestMailRequestTime(one), one] as const).sort(([a], [b]) => a - b);
    gone.push(...byAge.slice(0, excess).map(([, one]) => one));
  }
  const changes = [
    ...gone.map(({ address }) => MAIL_REQUEST_TIMES_TABLE.makePartChange(address, null)),
    ...[...counted].map(([address, of]) => MAIL_REQUEST_TIMES_TABLE.makePartChange(address, of)),
  ];
  return { waits, parts: Object.assign({}, ...changes) as Record<string, Json> };
}

/** Invitations that a user had mailed within a day. */
interface DailyInvitations {
  /** Time of the first of them, ms. The day ends 24 hours later, or when the clock is set back to before this time. */
  readonly since: number;
  readonly count: number;
}

/** Prefix of the parts with counts of invitations, by id of the user who had them mailed. */
export const DAILY_INVITATIONS_PART_PREFIX = 'inviter/';
const DAILY_INVITATIONS_TABLE = new ActorPartAccessor<DailyInvitations>(DAILY_INVITATIONS_PART_PREFIX);
const DAY_MS = 24 * 3_600_000;
/** Maximum number of invitations that a user has mailed a day. An administrator may invite a company of thousands. */
export const MAX_DAILY_INVITATIONS = 1_000;
export const MAX_DAILY_INVITATIONS_OF_ADMIN = 10_000;

/**
 * Counts invitations that a user has mailed, for the first time or again. Revoked ones stay counted.
 *
 * @returns the raised count, and the deletions of counts whose day is over
 * @throws ApiError if the user may not have as many mailed today
 */
export function countDailyInvitationsOrThrow(
  parts: ActorParts,
  user: DirectoryUser,
  added: number,
  now: number,
): Record<string, Json> {
  const isOver = ({ since }: DailyInvitations): boolean => since > now || since + DAY_MS <= now;
  const before = DAILY_INVITATIONS_TABLE.findPartValue(parts, user.id);
  const { since, count } = before && !isOver(before) ? before : { since: now, count: 0 };
  const most = isAdminOrOwner(user) ? MAX_DAILY_INVITATIONS_OF_ADMIN : MAX_DAILY_INVITATIONS;
  if (count + added > most) {
    throw apiError('DAILY_INVITES_SPENT', {
      errors: [],
      sent_invitations: false,
      license_limit_reached: false,
      daily_limit_reached: true,
    });
  }
  const gone = [...DAILY_INVITATIONS_TABLE.entries(parts)].filter(([, one]) => isOver(one));
  const changes = [
    ...gone.map(([id]) => DAILY_INVITATIONS_TABLE.makePartChange(id, null)),
    DAILY_INVITATIONS_TABLE.makePartChange(user.id, { since, count: count + added }),
  ];
  return Object.assign({}, ...changes) as Record<string, Json>;
}

export const MAIL_RATE_LIMITS_PER_ADDRESS: readonly RateLimit[] = [
  [3_600_000, 2],
  [24 * 3_600_000, 5],
];
