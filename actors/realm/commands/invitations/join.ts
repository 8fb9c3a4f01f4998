/** Opening the link of an invitation, and making an account with it. */

import { directNotice, silentMention, success } from '#actors/shared';
import type { Json } from '#base';
import type { InvitationLink, OutboxCommand, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { CommandContext } from '#runtime';
import { type Invitation, invitationOf, invitationsOf, invitesChanged, partOf } from '../../invitations.js';
import { type Parts, userOf } from '../../state.js';
import {
  addAccount,
  checkApplicant,
  firstStreams,
  type PreparedAccount,
  prepareAccount,
} from '../accounts/new-account.js';
import type { RealmCommand } from '../command.js';

export function invitationByLink(
  parts: Parts,
  { kind, id, nonce }: InvitationLink,
  now: number,
): Invitation | undefined {
  const found = invitationOf(parts, kind, id, now);
  return found?.nonce === nonce ? found : undefined;
}

/** What the page shows. */
export const peekInvitation: RealmCommand<typeof realmCommands.peekInvitation> = {
  lane: 'read',
  read: true,
  handle({ state, parts }, args, _inputs, { now }) {
    const found = invitationByLink(parts, args, now);
    if (!found) throw apiError('INVITATION_GONE');
    const inviter = userOf(parts, found.inviter)?.fullName ?? '';
    return { reply: success({ organization: state.settings.name, inviter, email: found.email }) };
  },
};

export const join: RealmCommand<typeof realmCommands.join, PreparedAccount | undefined> = {
  // Of two who use the same invitation at once the second finds none.
  lane: 'directory',
  exclusive: true,

  async inputs(args, { realm, view }, sources) {
    const { services } = sources;
    const found = invitationByLink(view.parts, args, services.clock.now());
    // Nobody has us hash passwords for nothing.
    if (!found) return undefined;
    const streams = firstStreams(view, found.streams, found.role);
    const { full_name: fullName, password } = args;
    return prepareAccount({ email: found.email ?? args.email, fullName, password, streams }, realm, sources);
  },

  handle(view, args, prepared, context) {
    const found = invitationByLink(view.parts, args, context.now);
    if (!found || !prepared) throw apiError('INVITATION_GONE');
    checkApplicant(prepared, view);
    const streams = firstStreams(view, found.streams, found.role);
    const { user, ...added } = addAccount(view, { prepared, role: found.role, streams, origin: args.origin }, context);
    const told = acceptedNotice(found, user, view.parts, args.origin, context);
    return {
      ...added,
      reply: success({ organization: view.state.settings.name, email: user.deliveryEmail }),
      parts: { ...added.parts, ...usedInvitations(view.parts, user.deliveryEmail, context.now) },
      events: [...added.events, invitesChanged(context.version)],
      commands: [...added.commands, told],
      replyAfterCommands: true,
    };
  },
};

/** All that went to the address; links stay. */
function usedInvitations(parts: Parts, email: string, now: number): Record<string, Json> {
  const folded = email.toLowerCase();
  const gone = invitationsOf(parts, 'single', now).filter((of) => of.email?.toLowerCase() === folded);
  return Object.fromEntries(gone.map((of) => [partOf(of), null]));
}

function acceptedNotice(
  { inviter }: Invitation,
  user: { readonly id: number; readonly fullName: string },
  parts: Parts,
  origin: string,
  { realm, version: after }: CommandContext,
): OutboxCommand[] {
  if (!userOf(parts, inviter)?.isActive) return [];
  const content = `${silentMention(user)} has accepted your invitation.`;
  return [directNotice(realm, inviter, { content, origin, after })];
}
