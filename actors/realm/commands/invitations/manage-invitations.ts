/** Invitation links, and listing, revoking and resending invitations (realm.md § Invitations). */
import { randomBytes } from 'node:crypto';
import { type SubscribersByStream, successReply } from '#actors/shared';
import type { JsonObject } from '#base';
import { isAdmin, isOwner, ROLE } from '#domain/people';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import {
  dropExpiredInvitations,
  encodeInvitation,
  findInvitation,
  type Invitation,
  invitationExpiry,
  invitationPartName,
  invitesChangedEvent,
  listValidInvitations,
} from '../../invitations.js';
import { type ActorParts, userRecord } from '../../state.js';
import { requireActingUser } from '../callers.js';
import type { RealmCommand } from '../command.js';
import {
  firstInaccessibleStream,
  type InvitationLinkMaker,
  invitationLinkMaker,
  invitationMail,
  readInvitationMembers,
  sealedInvitationLinkMaker,
} from './invitation-links.js';

const LANE = 'invitations';

interface LinkInputs {
  readonly nonce: string;
  /** Makes sealed links of invitations, because replies may be kept in the Store. */
  readonly link: InvitationLinkMaker;
  readonly members: SubscribersByStream;
}

/** POST /invites/multiuse: makes an invitation link. */
export const createInvitationLinkHandler: RealmCommand<typeof realmCommands.inviteByLink, LinkInputs> = {
  lane: LANE,

  inputs: async ({ stream_ids, origin }, { realm, view }, sources) => ({
    nonce: randomBytes(4).toString('hex'),
    link: (of) =>
      sources.services.secrets.sealDeterministic(invitationLinkMaker(sources.services.secrets, realm, origin)(of)),
    members: await readInvitationMembers(stream_ids, view.parts, realm, sources),
  }),

  handle({ state, parts }, { minutes, role, stream_ids }, { nonce, link, members }, { caller, now, version }) {
    const acting = requireActingUser(parts, caller);
    if (!isAdmin(acting)) throw apiError('ADMIN_REQUIRED');
    if (role === ROLE.owner && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
    const unknown = firstInaccessibleStream(acting, stream_ids, parts, members);
    if (unknown !== undefined) throw apiError('INVITE_LINK_STREAM_UNKNOWN', { stream_id: unknown });
    const { nextLink: id } = state.invitations;
    const made: Invitation = {
      id,
      email: null,
      inviter: acting.id,
      invited: Math.floor(now / 1000),
      minutes,
      role,
      streams: [...new Set(stream_ids)],
      nonce,
    };
    return {
      reply: successReply({ sealed: link(made) }),
      state: { ...state, invitations: { ...state.invitations, nextLink: id + 1 } },
      parts: { ...dropExpiredInvitations(parts, now), [invitationPartName(made)]: encodeInvitation(made) },
      events: [invitesChangedEvent(version)],
    };
  },
};

/** GET /invites: lists the invitations that the caller may see. */
export const listInvitationsHandler: RealmCommand<typeof realmCommands.listInvitations, InvitationLinkMaker> = {
  lane: 'read',
  read: true,
  inputs: ({ origin }, { realm }, { services }) => invitationLinkMaker(services.secrets, realm, origin),
  handle({ parts }, _args, link, { caller, now }) {
    const admin = isAdmin(requireActingUser(parts, caller));
    const shown = (of: Invitation): JsonObject => ({
      ...(of.email === null ? { link_url: link(of) } : { email: of.email }),
      id: of.id,
      invited_by_user_id: of.inviter,
      invited: of.invited,
      expiry_date: invitationExpiry(of),
      invited_as: of.role,
      is_multiuse: of.email === null,
    });
    const singles = listValidInvitations(parts, 'single', now).filter((of) => admin || of.inviter === caller);
    const links = admin ? listValidInvitations(parts, 'link', now) : [];
    return { reply: successReply({ invites: [...singles, ...links].map(shown) }) };
  },
};

/** The invitation with this id, if the caller may revoke and resend it. @throws ApiError */
function manageable(parts: ActorParts, id: number, acting: DirectoryUser, now: number): Invitation {
  const found = findInvitation(parts, 'single', id, now);
  if (!found) throw apiError('NO_SUCH_INVITATION');
  if (found.inviter !== acting.id && !isAdmin(acting)) throw apiError('INVITER_NOT_ADMIN');
  if (found.role === ROLE.owner && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
  return found;
}

/** DELETE /invites/{id}: revokes an invitation to an address. */
export const revokeInvitationHandler: RealmCommand<typeof realmCommands.revokeInvitation> = {
  lane: LANE,
  handle({ parts }, { id }, _inputs, { caller, now, version }) {
    const found = manageable(parts, id, requireActingUser(parts, caller), now);
    return {
      reply: successReply(),
      parts: { [invitationPartName(found)]: null },
      events: [invitesChangedEvent(version)],
    };
  },
};

/** DELETE /invites/multiuse/{id}: revokes an invitation link. */
export const revokeInvitationLinkHandler: RealmCommand<typeof realmCommands.revokeLink> = {
  lane: LANE,
  handle({ state, parts }, { id }, _inputs, { caller, now, version }) {
    const acting = requireActingUser(parts, caller);
    if (!isAdmin(acting)) throw apiError('ADMIN_REQUIRED');
    if (id < 1 || id >= state.invitations.nextLink) throw apiError('NO_SUCH_INVITATION');
    const found = findInvitation(parts, 'link', id, now);
    if (!found) throw apiError('INVITATION_REVOKED');
    if (found.role === ROLE.owner && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
    return {
      reply: successReply(),
      parts: { [invitationPartName(found)]: null },
      events: [invitesChangedEvent(version)],
    };
  },
};

/** POST /invites/{id}/resend: sends the same link again and restarts its validity. */
export const resendInvitationHandler: RealmCommand<typeof realmCommands.resendInvitation, InvitationLinkMaker> = {
  lane: LANE,
  inputs: ({ origin }, { realm }, { services }) => sealedInvitationLinkMaker(services.secrets, realm, origin),
  handle({ state, parts }, { id }, link, { caller, now, realm }) {
    const acting = requireActingUser(parts, caller);
    const again: Invitation = { ...manageable(parts, id, acting, now), invited: Math.floor(now / 1000) };
    const inviter = userRecord(parts, again.inviter) ?? acting;
    return {
      reply: successReply({ timestamp: again.invited }),
      parts: { [invitationPartName(again)]: encodeInvitation(again) },
      commands: [[invitationMail(realm, again, inviter, state.settings, link)]],
    };
  },
};
