/** Invitation links, and listing, revoking and resending invitations (realm.md § Invitations). */
import { randomBytes } from 'node:crypto';
import { makeSuccessReply, type SubscribersByStream } from '#actors/shared';
import type { JsonObject } from '#base';
import { isAdminOrOwner, isOwner, USER_ROLE } from '#domain/people';
import type { realmActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import {
  computeInvitationExpirySeconds,
  encodeInvitation,
  findValidInvitation,
  type Invitation,
  listValidInvitations,
  makeExpiredInvitationDeletions,
  makeInvitationPartName,
  makeInvitationsChangedEvent,
  weakestInviterRole,
} from '../../invitations.js';
import { countDailyInvitationsOrThrow, countMailToAddressIfAllowed } from '../../mail-limits.js';
import { type ActorParts, findUserRecord } from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import type { RealmCommandHandler } from '../command.js';
import {
  findFirstInaccessibleStreamId,
  type InvitationLinkMaker,
  makeInvitationMailCommand,
  makePlainInvitationLinkMaker,
  makeSealedInvitationLinkMaker,
  readSubscribersOfPrivateStreams,
} from './invitation-links.js';

const INVITATIONS_LANE = 'invitations';

interface InvitationLinkInputs {
  readonly nonce: string;
  /** Makes sealed links of invitations, because replies may be kept in the Store. */
  readonly makeSealedLink: InvitationLinkMaker;
  readonly subscribersByStream: SubscribersByStream;
}

/** POST /invites/multiuse: makes an invitation link. */
export const createInvitationLinkHandler: RealmCommandHandler<
  typeof realmActorCommands.inviteByLink,
  InvitationLinkInputs
> = {
  lane: INVITATIONS_LANE,

  inputs: async ({ stream_ids, origin }, { realm, view }, sources) => ({
    nonce: randomBytes(4).toString('hex'),
    makeSealedLink: (of) =>
      sources.services.secrets.sealDeterministic(
        makePlainInvitationLinkMaker(sources.services.secrets, realm, origin)(of),
      ),
    subscribersByStream: await readSubscribersOfPrivateStreams(stream_ids, view.parts, realm, sources),
  }),

  handle(
    { state, parts },
    { minutes, role, stream_ids },
    { nonce, makeSealedLink, subscribersByStream },
    { caller, now, version },
  ) {
    const acting = getActingUserOrThrow(parts, caller);
    if (acting.role > weakestInviterRole('link', role)) {
      throw apiError(isAdminOrOwner(acting) ? 'OWNER_REQUIRED' : 'ADMIN_REQUIRED');
    }
    const unknown = findFirstInaccessibleStreamId(acting, stream_ids, parts, subscribersByStream);
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
      reply: makeSuccessReply({ sealed: makeSealedLink(made) }),
      state: { ...state, invitations: { ...state.invitations, nextLink: id + 1 } },
      parts: { ...makeExpiredInvitationDeletions(parts, now), [makeInvitationPartName(made)]: encodeInvitation(made) },
      events: [makeInvitationsChangedEvent(version)],
    };
  },
};

/** GET /invites: lists the invitations that the caller may see. */
export const listInvitationsHandler: RealmCommandHandler<
  typeof realmActorCommands.listInvitations,
  InvitationLinkMaker
> = {
  lane: 'read',
  read: true,
  inputs: ({ origin }, { realm }, { services }) => makePlainInvitationLinkMaker(services.secrets, realm, origin),
  handle({ parts }, _args, link, { caller, now }) {
    const acting = getActingUserOrThrow(parts, caller);
    const admin = isAdminOrOwner(acting);
    const shown = (of: Invitation): JsonObject => ({
      ...(of.email === null ? { link_url: link(of) } : { email: of.email }),
      id: of.id,
      invited_by_user_id: of.inviter,
      invited: of.invited,
      expiry_date: computeInvitationExpirySeconds(of),
      invited_as: of.role,
      is_multiuse: of.email === null,
    });
    const singles = listValidInvitations(parts, 'single', now).filter((of) => admin || of.inviter === caller);
    // The link of an invitation for owners makes its bearer an owner, so administrators don't get it.
    const links = listValidInvitations(parts, 'link', now).filter(
      (of) => admin && (of.role !== USER_ROLE.owner || isOwner(acting)),
    );
    return { reply: makeSuccessReply({ invites: [...singles, ...links].map(shown) }) };
  },
};

/** The invitation with this id, if the caller may revoke and resend it. @throws ApiError */
function getManageableInvitationOrThrow(parts: ActorParts, id: number, acting: DirectoryUser, now: number): Invitation {
  const found = findValidInvitation(parts, 'single', id, now);
  if (!found) throw apiError('NO_SUCH_INVITATION');
  if (found.inviter !== acting.id && !isAdminOrOwner(acting)) throw apiError('INVITER_NOT_ADMIN');
  if (found.role === USER_ROLE.owner && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
  return found;
}

/** DELETE /invites/{id}: revokes an invitation to an address. */
export const revokeInvitationHandler: RealmCommandHandler<typeof realmActorCommands.revokeInvitation> = {
  lane: INVITATIONS_LANE,
  handle({ parts }, { id }, _inputs, { caller, now, version }) {
    const found = getManageableInvitationOrThrow(parts, id, getActingUserOrThrow(parts, caller), now);
    return {
      reply: makeSuccessReply(),
      parts: { [makeInvitationPartName(found)]: null },
      events: [makeInvitationsChangedEvent(version)],
    };
  },
};

/** DELETE /invites/multiuse/{id}: revokes an invitation link. */
export const revokeInvitationLinkHandler: RealmCommandHandler<typeof realmActorCommands.revokeLink> = {
  lane: INVITATIONS_LANE,
  handle({ state, parts }, { id }, _inputs, { caller, now, version }) {
    const acting = getActingUserOrThrow(parts, caller);
    if (!isAdminOrOwner(acting)) throw apiError('ADMIN_REQUIRED');
    if (id < 1 || id >= state.invitations.nextLink) throw apiError('NO_SUCH_INVITATION');
    const found = findValidInvitation(parts, 'link', id, now);
    if (!found) throw apiError('INVITATION_REVOKED');
    if (found.role === USER_ROLE.owner && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
    return {
      reply: makeSuccessReply(),
      parts: { [makeInvitationPartName(found)]: null },
      events: [makeInvitationsChangedEvent(version)],
    };
  },
};

/** POST /invites/{id}/resend: sends the same link again and restarts its validity. */
export const resendInvitationHandler: RealmCommandHandler<
  typeof realmActorCommands.resendInvitation,
  InvitationLinkMaker
> = {
  lane: INVITATIONS_LANE,
  inputs: ({ origin }, { realm }, { services }) => makeSealedInvitationLinkMaker(services.secrets, realm, origin),
  handle({ state, parts }, { id }, link, { caller, now, realm }) {
    const acting = getActingUserOrThrow(parts, caller);
    const again: Invitation = {
      ...getManageableInvitationOrThrow(parts, id, acting, now),
      invited: Math.floor(now / 1000),
    };
    const { wait, parts: counted } = countMailToAddressIfAllowed(parts, 'invitation', again.email ?? '', now);
    if (wait > 0) throw apiError('RATE_LIMIT_HIT', { 'retry-after': wait / 1000 });
    const daily = countDailyInvitationsOrThrow(parts, acting, 1, now);
    const inviter = findUserRecord(parts, again.inviter) ?? acting;
    return {
      reply: makeSuccessReply({ timestamp: again.invited }),
      parts: { ...counted, ...daily, [makeInvitationPartName(again)]: encodeInvitation(again) },
      commands: [[makeInvitationMailCommand(realm, again, inviter, state.settings, link)]],
    };
  },
};
