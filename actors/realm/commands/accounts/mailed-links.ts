/**
 * Links that were mailed to people with an account: one confirms a new address, others set a new password. The parts
 * hold hashes of their tokens. A new password and a deactivation void them all.
 */

import type { Json, JsonObject } from '#base';
import type { ActorParts } from '../../state.js';

export const EMAIL_CHANGE_PART_PREFIX = 'email-change/';
export const RESET_LINKS_PART_PREFIX = 'reset-links/';

/** The pending change of one account; a newer request invalidates the link of the older one. */
export interface EmailChange extends JsonObject {
  /** Hash of the token in the link; '' once the link was used or is void. */
  readonly hash: string;
  readonly email: string;
  /** Times of the account's requests of the last day, ms, ascending. */
  readonly asked: readonly number[];
}

export const emailChangeOf = (parts: ActorParts, user: number): EmailChange | undefined =>
  parts.get(`${EMAIL_CHANGE_PART_PREFIX}${user}`) as unknown as EmailChange | undefined;

/** A mailed link that sets a new password. */
interface ResetLink extends JsonObject {
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Valid links of one account. A stranger can ask for further ones, which must not void the one that a user opens. */
const MAX_RESET_LINKS = 5;

/** Links of an account that set a new password and have not expired. */
export function resetLinksOf(parts: ActorParts, user: number, now: number): readonly ResetLink[] {
  const links = (parts.get(`${RESET_LINKS_PART_PREFIX}${user}`) ?? []) as unknown as readonly ResetLink[];
  return links.filter(({ expires }) => expires > now);
}

export const withResetLink = (parts: ActorParts, user: number, link: ResetLink, now: number): Record<string, Json> => ({
  [`${RESET_LINKS_PART_PREFIX}${user}`]: [...resetLinksOf(parts, user, now), link].slice(-MAX_RESET_LINKS),
});

/** Voids the links of an account that set a new password. */
export function voidedResetLinks(parts: ActorParts, user: number): Record<string, Json> {
  const name = `${RESET_LINKS_PART_PREFIX}${user}`;
  return parts.get(name) === undefined ? {} : { [name]: null };
}

/** Voids all mailed links of an account. The times of its requests stay: they count for the rate limit. */
export function voidedMailLinks(parts: ActorParts, user: number): Record<string, Json> {
  const change = emailChangeOf(parts, user);
  const open = change !== undefined && change.hash !== '';
  return {
    ...voidedResetLinks(parts, user),
    ...(open ? { [`${EMAIL_CHANGE_PART_PREFIX}${user}`]: { ...change, hash: '' } } : {}),
  };
}
