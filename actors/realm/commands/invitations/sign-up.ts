/**
 * Sign-up in two steps: a mail confirms the address, and the link in the mail creates the account. Sign-up is open to
 * all if the organization needs no invitation, otherwise to holders of an invitation link.
 */

import { makeSuccessReply } from '#actors/shared';
import { makeSignUpLink } from '#domain/invitations';
import { sealMailLink } from '#domain/mail';
import { domainOfEmailAddress, hasEmailAddressForm, USER_ROLE } from '#domain/people';
import type { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { countMailToAddressIfAllowed } from '../../mail-limits.js';
import { findUserRecord, type RealmActorState } from '../../state.js';
import {
  addAccountToRealm,
  checkEmailAddressAdmitted,
  checkPreparedNewAccount,
  listFirstStreamsOfNewUser,
  type NewAccountInputs,
  prepareNewAccount,
} from '../accounts/new-account.js';
import { canSignInByPassword } from '../accounts/password-reset.js';
import type { RealmCommandHandler } from '../command.js';
import { makeMailToStranger } from '../mails.js';
import { describeJoinedOrganization, findValidInvitationByLink } from './join.js';

/** Validity of the link that confirms an address, ms. */
const SIGN_UP_LINK_VALIDITY_MS = 24 * 3_600_000;

function checkSignUpIsOpen({ settings }: RealmActorState): void {
  if (settings.invite_required) throw apiError('SIGN_UP_CLOSED');
}

/** Replies with the content of the sign-up page. */
export const readSignUpPageHandler: RealmCommandHandler<typeof realmActorCommands.peekSignUp> = {
  lane: 'read',
  read: true,
  handle({ state }) {
    checkSignUpIsOpen(state);
    const hasPassword = canSignInByPassword({ role: USER_ROLE.member }, state);
    return { reply: makeSuccessReply({ organization: state.settings.name, hasPassword }) };
  },
};

interface SignUpInputs {
  /** The confirmation link, sealed until the mail leaves. */
  readonly sealedLink: string;
  readonly isDisposableAddress: boolean;
}

/**
 * Mails a confirmation link. Addresses that have an account also get a mail, and the reply is the same, so that the
 * reply does not disclose which addresses have accounts.
 */
export const requestSignUpHandler: RealmCommandHandler<typeof realmActorCommands.askSignUp, SignUpInputs> = {
  lane: 'invitations',
  inputs: ({ email, by, origin }, { realm }, { services: { clock, secrets, disposable } }) => ({
    sealedLink: sealMailLink(
      secrets,
      makeSignUpLink(secrets, origin, { realm, email, expires: clock.now() + SIGN_UP_LINK_VALIDITY_MS, by }),
    ),
    isDisposableAddress: disposable(domainOfEmailAddress(email)),
  }),
  handle(view, { email, by }, { sealedLink, isDisposableAddress }, { realm, now }) {
    const { state, parts, volatile } = view;
    if (!by) checkSignUpIsOpen(state);
    else if (!findValidInvitationByLink(parts, { kind: 'link', ...by }, now)) throw apiError('INVITATION_GONE');
    if (!hasEmailAddressForm(email)) throw apiError('ENTER_VALID_EMAIL');
    checkEmailAddressAdmitted(email, isDisposableAddress, view);
    const { wait, parts: counted } = countMailToAddressIfAllowed(parts, 'signUp', email, now);
    if (wait > 0) throw apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 });
    const known = volatile.findUserIdByEmail(email);
    const isActive = known === undefined ? undefined : findUserRecord(parts, known)?.isActive;
    const account = known === undefined ? 'none' : isActive === false ? 'deactivated' : 'active';
    const mail = makeMailToStranger(realm, email, state.settings, (texts, organization) =>
      texts.signUp({ organization, account, link: sealedLink }),
    );
    return { reply: makeSuccessReply({ organization: state.settings.name }), parts: counted, commands: [[mail]] };
  },
};

/** Creates the account of a sign-up; the sender has checked the link. */
export const signUpHandler: RealmCommandHandler<typeof realmActorCommands.signUp, NewAccountInputs | undefined> = {
  lane: 'directory',
  exclusive: true,

  inputs({ email, full_name: fullName, password: given }, { realm, view }, sources) {
    // If sign-up is closed, no password is hashed: hashing is expensive.
    if (view.state.settings.invite_required) return undefined;
    const password = canSignInByPassword({ role: USER_ROLE.member }, view.state) ? given : null;
    const streams = listFirstStreamsOfNewUser(view, [], USER_ROLE.member);
    return prepareNewAccount({ email, fullName, password, streams }, realm, sources);
  },

  handle(view, { origin, language }, prepared, context) {
    checkSignUpIsOpen(view.state);
    if (!prepared) throw apiError('SIGN_UP_CLOSED');
    checkPreparedNewAccount(prepared, view);
    const streams = listFirstStreamsOfNewUser(view, [], USER_ROLE.member);
    const account = { prepared, role: USER_ROLE.member, streams, origin, language };
    const { user, ...added } = addAccountToRealm(view, account, context);
    return {
      ...added,
      reply: makeSuccessReply(describeJoinedOrganization(user, view.state)),
      replyAfterCommands: true,
    };
  },
};
