/**
 * Sign-up in two steps: a mail confirms the address, and the link in the mail creates the account. Sign-up is open to
 * all if the organization needs no invitation, otherwise to holders of an invitation link.
 */

import { mailCommand, successReply } from '#actors/shared';
import { makeSignUpLink } from '#domain/invitations';
import { sealMailLink } from '#domain/mail';
import { domainOfAddress, isEmail, ROLE } from '#domain/people';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { countMailToAddress } from '../../mail-limits.js';
import type { RealmState } from '../../state.js';
import {
  addAccount,
  checkAddressAdmitted,
  checkApplicant,
  firstStreamsOfNewcomer,
  type PreparedAccount,
  prepareAccount,
} from '../accounts/new-account.js';
import type { RealmCommand } from '../command.js';
import { toSingleLine } from './invitation-links.js';
import { findInvitationByLink } from './join.js';

/** Validity of the link that confirms an address, ms. */
const VALID_MS = 24 * 3_600_000;

function checkOpen({ settings }: RealmState): void {
  if (settings.invite_required) throw apiError('SIGN_UP_CLOSED');
}

/** Replies with the content of the sign-up page. */
export const readSignUpPageHandler: RealmCommand<typeof realmCommands.peekSignUp> = {
  lane: 'read',
  read: true,
  handle({ state }) {
    checkOpen(state);
    return { reply: successReply({ organization: state.settings.name }) };
  },
};

interface SignUpInputs {
  /** The confirmation link, sealed until the mail leaves. */
  readonly link: string;
  readonly disposable: boolean;
}

/**
 * Mails a confirmation link. Addresses that have an account also get a mail, and the reply is the same, so that the
 * reply does not disclose which addresses have accounts.
 */
export const requestSignUpHandler: RealmCommand<typeof realmCommands.askSignUp, SignUpInputs> = {
  lane: 'invitations',
  inputs: ({ email, by, origin }, { realm }, { services: { clock, secrets, disposable } }) => ({
    link: sealMailLink(secrets, makeSignUpLink(secrets, origin, { realm, email, expires: clock.now() + VALID_MS, by })),
    disposable: disposable(domainOfAddress(email)),
  }),
  handle(view, { email, by }, { link, disposable }, { realm, now }) {
    const { state, parts, volatile } = view;
    if (!by) checkOpen(state);
    else if (!findInvitationByLink(parts, { kind: 'link', ...by }, now)) throw apiError('INVITATION_GONE');
    if (!isEmail(email)) throw apiError('ENTER_VALID_EMAIL');
    checkAddressAdmitted(email, disposable, view);
    const { wait, parts: counted } = countMailToAddress(parts, email, now);
    if (wait > 0) throw apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 });
    const organization = toSingleLine(state.settings.name);
    const known = volatile.userByEmail(email) !== undefined;
    const text = known
      ? ['There is an account with this address already: log in with it.']
      : ['To make your account, open this link within a day:', '', link];
    return {
      reply: successReply({ organization: state.settings.name }),
      parts: counted,
      commands: [
        [
          mailCommand(realm, {
            to: email,
            subject: `Joining ${organization}`,
            text: [
              'Hello,',
              '',
              `somebody, probably you, wants to join ${organization}, which talks on Conclave.`,
              ...text,
              '',
              'If it was not you, there is nothing that you need to do.',
              '',
            ].join('\n'),
          }),
        ],
      ],
    };
  },
};

/** Creates the account of a sign-up; the sender has checked the link. */
export const signUpHandler: RealmCommand<typeof realmCommands.signUp, PreparedAccount | undefined> = {
  lane: 'directory',
  exclusive: true,

  inputs({ email, full_name: fullName, password }, { realm, view }, sources) {
    // If sign-up is closed, no password is hashed: hashing is expensive.
    if (view.state.settings.invite_required) return undefined;
    const streams = firstStreamsOfNewcomer(view, [], ROLE.member);
    return prepareAccount({ email, fullName, password, streams }, realm, sources);
  },

  handle(view, { origin }, prepared, context) {
    checkOpen(view.state);
    if (!prepared) throw apiError('SIGN_UP_CLOSED');
    checkApplicant(prepared, view);
    const streams = firstStreamsOfNewcomer(view, [], ROLE.member);
    const { user, ...added } = addAccount(view, { prepared, role: ROLE.member, streams, origin }, context);
    return {
      ...added,
      reply: successReply({ organization: view.state.settings.name, email: user.deliveryEmail }),
      replyAfterCommands: true,
    };
  },
};
