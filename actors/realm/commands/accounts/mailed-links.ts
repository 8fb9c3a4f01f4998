/**
 * Links that were mailed to people with an account: one confirms a new address, others set a new password. The parts
 * hold hashes of the links' tokens. A new password, a deactivation and the end of all other sessions void all these
 * links.
 */

import type { Json, JsonObject } from '#base';
import type { ActorParts } from '../../state.js';

export const EMAIL_CHANGE_PART_PREFIX = 'email-change/';
export const PASSWORD_RESET_LINKS_PART_PREFIX = 'reset-links/';

/** The pending change of one account's address; a newer request invalidates the link of the older one. */
export interface LatestEmailChangeRequest extends JsonObject {
  /** Hash of the token in the link; '' once the link was used or voided. */
  readonly hash: string;
  readonly email: string;
  /** Times of the account's requests in the last day, ms, ascending. */
  readonly asked: readonly number[];
}

export const findLatestEmailChangeRequest = (parts: ActorParts, user: number): LatestEmailChangeRequest | undefined =>
  parts.get(`${EMAIL_CHANGE_PART_PREFIX}${user}`) as unknown as LatestEmailChangeRequest | undefined;

/** A mailed link that sets a new password. */
interface StoredPasswordResetLink extends JsonObject {
  readonly hash: string;
  /** Time at which the link expires, milliseconds since 1970. */
  readonly expires: number;
}

/**
 * Maximum of valid reset links of one account. A stranger can ask for further links, which must not void the one that
 * the user opens.
 */
const MAX_VALID_RESET_LINKS_PER_ACCOUNT = 5;

/** Returns the reset links of an account that have not expired. */
export function listValidPasswordResetLinks(
  parts: ActorParts,
  user: number,
  now: number,
): readonly StoredPasswordResetLink[] {
  const links = (parts.get(`${PASSWORD_RESET_LINKS_PART_PREFIX}${user}`) ??
    []) as unknown as readonly StoredPasswordResetLink[];
  return links.filter(({ expires }) => expires > now);
}

export const makePasswordResetLinkAddition = (
  parts: ActorParts,
  user: number,
  link: StoredPasswordResetLink,
  now: number,
): Record<string, Json> => ({
  [`${PASSWORD_RESET_LINKS_PART_PREFIX}${user}`]: [...listValidPasswordResetLinks(parts, user, now), link].slice(
    -MAX_VALID_RESET_LINKS_PER_ACCOUNT,
  ),
});

/** Makes the change of parts that voids the reset links of an account. */
export function makePasswordResetLinksDeletion(parts: ActorParts, user: number): Record<string, Json> {
  const name = `${PASSWORD_RESET_LINKS_PART_PREFIX}${user}`;
  return parts.get(name) === undefined ? {} : { [name]: null };
}

/**
 * Makes the change of parts that voids all mailed links of an account. The times of the account's requests stay,
 * because they count for the rate limit.
 */
export function makeMailedLinkDeletions(parts: ActorParts, user: number): Record<string, Json> {
  const change = findLatestEmailChangeRequest(parts, user);
  const open = change !== undefined && change.hash !== '';
  return {
    ...makePasswordResetLinksDeletion(parts, user),
    ...(open ? { [`${EMAIL_CHANGE_PART_PREFIX}${user}`]: { ...change, hash: '' } } : {}),
  };
}
