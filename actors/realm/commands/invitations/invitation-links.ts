/** Links and mails of invitations, and checks of the streams in them. */

import { readSubscribersOfStreams, type SubscribersByStream } from '#actors/shared';
import { makeInvitationLink } from '#domain/invitations';
import { sealMailLink } from '#domain/mail';
import type { ServerCryptography } from '#domain/secrets';
import { mayAccessStream } from '#domain/streams';
import type { RealmId, RealmSettings } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { ActorInputSources } from '../../../services.js';
import {
  computeInvitationExpirySeconds,
  type Invitation,
  makeInvitationPartName,
  makeInvitationTokenContent,
} from '../../invitations.js';
import { type ActorParts, findStreamRecord } from '../../state.js';
import { makeMailToStranger } from '../mails.js';

/**
 * Makes the link of an invitation. Commands get this function as an input, because handlers do not have the secret that
 * signs links.
 */
export type InvitationLinkMaker = (of: Invitation) => string;

export const makePlainInvitationLinkMaker =
  (secrets: ServerCryptography, realm: RealmId, origin: string): InvitationLinkMaker =>
  (of) =>
    makeInvitationLink(secrets, origin, makeInvitationTokenContent(realm, of));

/** Makes sealed links of invitations, for mails: a link is unsealed when the mail leaves. */
export const makeSealedInvitationLinkMaker =
  (secrets: ServerCryptography, realm: RealmId, origin: string): InvitationLinkMaker =>
  (of) =>
    sealMailLink(secrets, makeInvitationLink(secrets, origin, makeInvitationTokenContent(realm, of)));

/**
 * Reads the subscribers of those of the streams that are private, because access to a private stream depends on
 * subscription.
 */
export function readSubscribersOfPrivateStreams(
  streams: readonly number[],
  parts: ActorParts,
  realm: RealmId,
  sources: ActorInputSources,
): Promise<SubscribersByStream> {
  const closed = [...new Set(streams)].filter((id) => findStreamRecord(parts, id)?.inviteOnly);
  return readSubscribersOfStreams(realm, closed, sources);
}

/** Id of the first of the streams that does not exist or that the caller can't access. */
export function findFirstInaccessibleStreamId(
  acting: DirectoryUser,
  streams: readonly number[],
  parts: ActorParts,
  members: SubscribersByStream,
): number | undefined {
  const accessible = (id: number): boolean => {
    const stream = findStreamRecord(parts, id);
    if (!stream || stream.archived) return false;
    return mayAccessStream(acting, stream, members.get(id)?.includes(acting.id) ?? false);
  };
  return streams.find((id) => !accessible(id));
}

/** Formats the time at which an invitation expires; null if it doesn't. */
function formatInvitationExpiry(of: Invitation): string | null {
  const expiry = computeInvitationExpirySeconds(of);
  return expiry === null ? null : `${new Date(expiry * 1000).toISOString().slice(0, 16).replace('T', ' ')} (UTC)`;
}

/** The mail of an invitation. @param makeLink makes sealed links */
export const makeInvitationMailCommand = (
  realm: RealmId,
  of: Invitation & { readonly email: string | null },
  { id, fullName: inviter, email: inviterEmail }: DirectoryUser,
  settings: RealmSettings,
  makeLink: InvitationLinkMaker,
): OutboxCommand =>
  makeMailToStranger(
    realm,
    of.email ?? '',
    settings,
    (texts, organization) =>
      texts.invitation({ inviter, inviterEmail, organization, link: makeLink(of), until: formatInvitationExpiry(of) }),
    { bulk: true, needs: id, needsPart: makeInvitationPartName(of) },
  );
