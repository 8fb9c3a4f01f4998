/**
 * Change of one's own address: requested in PATCH /settings, done when the link mailed to the new address is confirmed
 * (users.md § PATCH /settings).
 */

import { makeSuccessReply } from '#actors/shared';
import { addRateLimitedCallTime, computeRateLimitStatus, type Json, msUntilCallAllowed } from '#base';
import {
  domainOfEmailAddress,
  findEmailDomainPolicyProblem,
  hasEmailAddressForm,
  isAdminOrOwner,
  isSystemBot,
} from '#domain/people';
import type { RealmId } from '#model';
import type { OutboxCommand, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { makeDirectoryLogItem } from '../../log-items.js';
import { MAIL_RATE_LIMITS_PER_ADDRESS } from '../../mail-limits.js';
import {
  encodeDirectoryRecord,
  findUserRecord,
  listUserRecords,
  readEmailDomainRecords,
  USER_PART_PREFIX,
} from '../../state.js';
import { NO_INPUT_COMMAND_LANE, type RealmActorView, type RealmCommandHandler } from '../command.js';
import { makeMailToAccount } from '../mails.js';
import {
  EMAIL_CHANGE_PART_PREFIX,
  findLatestEmailChangeRequest,
  type LatestEmailChangeRequest,
  makePasswordResetLinksDeletion,
} from './mailed-links.js';
import { makeRealEmailChangedEvents } from './person-events.js';

/** Validity of the link that confirms a new address, ms. */
export const EMAIL_CHANGE_LINK_VALIDITY_MS = 24 * 3_600_000;

/** Checks the new address. @throws ApiError with the messages of PATCH /settings */
function checkNewEmailAddress(
  email: string,
  disposable: boolean,
  user: DirectoryUser,
  { state: { settings }, parts, volatile }: RealmActorView,
): void {
  if (settings.email_changes_disabled && !isAdminOrOwner(user)) throw apiError('EMAIL_CHANGES_DISABLED');
  if (!hasEmailAddressForm(email)) throw apiError('EMAIL_INVALID');
  const problem = findEmailDomainPolicyProblem(email, settings, readEmailDomainRecords(parts), disposable);
  if (problem === 'plus') throw apiError('EMAIL_PLUS');
  if (problem === 'disposable') throw apiError('EMAIL_NOT_REAL');
  if (problem === 'domain') throw apiError('EMAIL_OUTSIDE');
  const taken = volatile.findUserIdByEmail(email);
  if (taken === undefined) return;
  if (isSystemBot({ id: taken })) throw apiError('EMAIL_RESERVED');
  throw apiError(findUserRecord(parts, taken)?.isActive === false ? 'EMAIL_DEACTIVATED' : 'EMAIL_TAKEN');
}

export interface EmailConfirmationLinkInputs {
  readonly hash: string;
  /** Confirmation link for the mail, sealed until the mail leaves. */
  readonly sealedLink: string;
  /** True if the new address has a domain of disposable addresses. */
  readonly isDisposableAddress: boolean;
}

interface EmailChangeRequestCommit {
  readonly parts: Record<string, Json>;
  readonly commands: readonly OutboxCommand[];
}

/**
 * Requests a change of one's own address.
 * @param given address as sent
 * @returns undefined if it is the present address
 * @throws ApiError
 */
export function makeEmailChangeRequestCommit(
  given: string,
  user: DirectoryUser,
  link: EmailConfirmationLinkInputs,
  realm: RealmActorView,
  { realm: id, now }: { readonly realm: RealmId; readonly now: number },
): EmailChangeRequestCommit | undefined {
  const email = given.trim();
  if (email === user.deliveryEmail) return undefined;
  checkNewEmailAddress(email, link.isDisposableAddress, user, realm);
  const asked = findLatestEmailChangeRequest(realm.parts, user.id)?.asked ?? [];
  const wait = msUntilCallAllowed(MAIL_RATE_LIMITS_PER_ADDRESS, asked, now);
  if (wait > 0) {
    throw apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 }).setRateLimitStatus(
      computeRateLimitStatus(MAIL_RATE_LIMITS_PER_ADDRESS, asked, now),
    );
  }
  const change: LatestEmailChangeRequest = {
    hash: link.hash,
    email,
    asked: addRateLimitedCallTime(MAIL_RATE_LIMITS_PER_ADDRESS, asked, now),
  };
  const mail = makeMailToAccount(
    id,
    user,
    realm,
    (texts, account) => texts.confirmNewEmail(account, { newEmail: email, link: link.sealedLink }),
    { to: email },
  );
  return { parts: { [`${EMAIL_CHANGE_PART_PREFIX}${user.id}`]: change }, commands: [mail] };
}

/**
 * Changes an account's e-mail address after its owner has opened the link that was mailed to it. The sender has checked
 * the link's signature and expiry.
 *
 * @throws ApiError
 */
export const confirmEmailChangeHandler: RealmCommandHandler<typeof realmActorCommands.confirmEmail, boolean> = {
  lane: NO_INPUT_COMMAND_LANE,
  inputs: ({ user }, { view }, { services }) =>
    services.disposable(domainOfEmailAddress(findLatestEmailChangeRequest(view.parts, user)?.email ?? '')),
  handle({ state, parts, volatile }, { user: id, hash, shown }, disposable, { realm, version }) {
    const change = findLatestEmailChangeRequest(parts, id);
    const before = findUserRecord(parts, id);
    if (!change || change.hash !== hash || !before?.isActive) throw apiError('MAIL_LINK');
    checkNewEmailAddress(change.email, disposable, before, { state, parts, volatile });
    const email = before.emailVisibility === 1 ? change.email : before.email;
    const after: DirectoryUser = { ...before, deliveryEmail: change.email, email };
    volatile.unindexEmail(before.deliveryEmail);
    volatile.indexUserEmails(id, after.email, after.deliveryEmail);
    const notice = makeMailToAccount(realm, after, { state, parts }, (texts, account) => texts.emailChanged(account), {
      to: before.deliveryEmail,
    });
    return {
      reply: makeSuccessReply({ email: after.deliveryEmail }, shown ? version : undefined),
      parts: {
        [`${USER_PART_PREFIX}${id}`]: encodeDirectoryRecord(after),
        [`${EMAIL_CHANGE_PART_PREFIX}${id}`]: { ...change, hash: '' },
        // The mails with these links went to the former address.
        ...makePasswordResetLinksDeletion(parts, id),
      },
      events: [
        makeDirectoryLogItem({ user: after }),
        ...makeRealEmailChangedEvents(after, listUserRecords(parts), version),
      ],
      commands: [[notice]],
    };
  },
};
