/** Opens the link of an invitation, and creates an account with it. */

import { formatSilentMention, makeDirectNoticeCommand, makeSuccessReply } from '#actors/shared';
import type { OpenedInvitationLink, OutboxCommand, realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { findValidInvitation, type Invitation, listValidInvitations } from '../../invitations.js';
import { type ActorParts, findUserRecord, type RealmActorState } from '../../state.js';
import {
  addAccountToRealm,
  checkPreparedNewAccount,
  listFirstStreamsOfNewUser,
  type NewAccountInputs,
  prepareNewAccount,
} from '../accounts/new-account.js';
import { canSignInByPassword } from '../accounts/password-reset.js';
import type { RealmCommandHandler } from '../command.js';
import { noticeTextsOfAccount } from '../mails.js';

/** The invitation that a link names, if the invitation is valid and has the link's nonce. */
export function findValidInvitationByLink(
  parts: ActorParts,
  { kind, id, nonce }: OpenedInvitationLink,
  now: number,
): Invitation | undefined {
  const found = findValidInvitation(parts, kind, id, now);
  return found?.nonce === nonce ? found : undefined;
}

/** Replies with the content of the page behind an invitation link. */
export const readInvitationPageHandler: RealmCommandHandler<typeof realmActorCommands.peekInvitation> = {
  lane: 'read',
  read: true,
  handle({ state, parts }, args, _inputs, { now }) {
    const found = findValidInvitationByLink(parts, args, now);
    if (!found) throw apiError('INVITATION_GONE');
    const inviter = findUserRecord(parts, found.inviter)?.fullName ?? '';
    const hasPassword = canSignInByPassword(found, state);
    return { reply: makeSuccessReply({ organization: state.settings.name, inviter, email: found.email, hasPassword }) };
  },
};

/**
 * Creates an account by an invitation. Invitations to its address are used up; a link for any number of people stays
 * valid.
 */
export const joinByInvitationHandler: RealmCommandHandler<
  typeof realmActorCommands.join,
  NewAccountInputs | undefined
> = {
  // Accounts are created one at a time, so that an invitation to an address is used only once.
  lane: 'directory',
  exclusive: true,

  async inputs(args, { realm, view }, sources) {
    const { services } = sources;
    const found = findValidInvitationByLink(view.parts, args, services.clock.now());
    // If the invitation is not valid, no password is hashed: hashing is expensive.
    if (!found) return undefined;
    const streams = listFirstStreamsOfNewUser(view, found.streams, found.role);
    const { full_name: fullName } = args;
    const password = canSignInByPassword(found, view.state) ? args.password : null;
    return prepareNewAccount({ email: found.email ?? args.email, fullName, password, streams }, realm, sources);
  },

  handle(view, args, prepared, context) {
    const found = findValidInvitationByLink(view.parts, args, context.now);
    if (!found || !prepared) throw apiError('INVITATION_GONE');
    checkPreparedNewAccount(prepared, view);
    const streams = listFirstStreamsOfNewUser(view, found.streams, found.role);
    const { user, ...added } = addAccountToRealm(
      view,
      { prepared, role: found.role, streams, origin: args.origin, language: args.language },
      context,
    );
    const notice = makeInvitationAcceptedNoticeCommands(found, user, view.parts, args.origin, context);
    return {
      ...added,
      reply: makeSuccessReply(describeJoinedOrganization(user, view.state)),
      commands: [...added.commands, notice],
      replyAfterCommands: true,
    };
  },
};

/** Content of the page about a new account. */
export const describeJoinedOrganization = (user: DirectoryUser, state: RealmActorState) => ({
  organization: state.settings.name,
  email: user.deliveryEmail,
  hasPassword: canSignInByPassword(user, state),
});

/** Finds the newest valid invitation to this address. */
export function findNewestValidInvitationToAddress(
  parts: ActorParts,
  email: string,
  now: number,
): Invitation | undefined {
  const folded = email.toLowerCase();
  return listValidInvitations(parts, 'single', now).findLast((of) => of.email?.toLowerCase() === folded);
}

export function makeInvitationAcceptedNoticeCommands(
  { inviter }: Invitation,
  user: { readonly id: number; readonly fullName: string },
  parts: ActorParts,
  origin: string,
  { realm, version: after }: CommandContext,
): OutboxCommand[] {
  const receiver = findUserRecord(parts, inviter);
  if (!receiver?.isActive) return [];
  const content = noticeTextsOfAccount(parts, receiver).invitationAccepted(formatSilentMention(user));
  return [makeDirectNoticeCommand(realm, inviter, { content, origin, after })];
}
