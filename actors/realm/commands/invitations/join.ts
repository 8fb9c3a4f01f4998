/** Opening the link of an invitation, and making an account with it. */

import { directNotice, silentMention, success } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { apiError } from '#model/errors';
import type { CommandContext, OutboxCommand } from '#runtime';
import { type Invitation, invitationOf, invitationsOf, invitesChanged, partOf } from '../../invitations.js';
import { type Parts, userOf } from '../../state.js';
import {
  addAccount,
  checkApplicant,
  newcomersStreams,
  type PreparedAccount,
  prepareAccount,
} from '../accounts/new-account.js';
import type { RealmCommand } from '../command.js';

/** From the link: checked to be of this server's making. */
export interface Named extends JsonObject {
  readonly kind: 'single' | 'link';
  readonly id: number;
  readonly nonce: string;
}

export function named(parts: Parts, { kind, id, nonce }: Named, now: number): Invitation | undefined {
  const found = invitationOf(parts, kind, id, now);
  return found?.nonce === nonce ? found : undefined;
}

/** What the page shows. */
export const peekInvitation: RealmCommand<Named> = {
  lane: 'read',
  read: true,
  handle({ state, parts }, args, _inputs, { now }) {
    const found = named(parts, args, now);
    if (!found) throw apiError('INVITATION_GONE');
    const inviter = userOf(parts, found.inviter)?.fullName ?? '';
    return { reply: success({ organization: state.settings.name, inviter, email: found.email }) };
  },
};

interface JoinArgs extends Named {
  readonly full_name: string;
  readonly password: string;
  /** With a link only, confirmed by a letter; who was invited by one has the address that it went to. */
  readonly email: string;
  /** Base URL of the organization. */
  readonly origin: string;
}

export const join: RealmCommand<JoinArgs, PreparedAccount | undefined> = {
  // Of two who use the same invitation at once the second finds none.
  lane: 'directory',
  exclusive: true,

  async inputs(args, { realm, view }, sources) {
    const { services } = sources;
    const found = named(view.parts, args, services.clock.now());
    // Nobody has us hash passwords for nothing.
    if (!found) return undefined;
    const streams = newcomersStreams(view, found.streams, found.role);
    const { full_name: fullName, password } = args;
    return prepareAccount({ email: found.email ?? args.email, fullName, password, streams }, realm, sources);
  },

  handle(view, args, prepared, context) {
    const found = named(view.parts, args, context.now);
    if (!found || !prepared) throw apiError('INVITATION_GONE');
    checkApplicant(prepared, view);
    const streams = newcomersStreams(view, found.streams, found.role);
    const { user, ...added } = addAccount(view, { prepared, role: found.role, streams, origin: args.origin }, context);
    const told = acceptedNotice(found, user, view.parts, args.origin, context);
    return {
      ...added,
      reply: success({ organization: view.state.settings.name, email: user.deliveryEmail }),
      parts: { ...added.parts, ...used(view.parts, user.deliveryEmail, context.now) },
      events: [...added.events, invitesChanged(context.version)],
      commands: [...added.commands, told],
      replyAfterCommands: true,
    };
  },
};

/** All that went to the address; links stay. */
function used(parts: Parts, email: string, now: number): Record<string, Json> {
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
