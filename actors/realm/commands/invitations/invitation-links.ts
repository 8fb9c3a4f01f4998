/** Links and mails of invitations, and checks of the streams in them. */

import { makeSendMailCommand, readSubscribersOfStreams, type SubscribersByStream } from '#actors/shared';
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

/** Replaces line breaks by spaces. Names of organizations may contain line breaks, and a mail's subject is one line. */
export const toSingleLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const formatInvitationValidity = (of: Invitation): string => {
  const expiry = computeInvitationExpirySeconds(of);
  if (expiry === null) return 'The link does not expire.';
  return `The link is good until ${new Date(expiry * 1000).toISOString().slice(0, 16).replace('T', ' ')} (UTC).`;
};

/** The mail of an invitation. @param link makes sealed links */
export function makeInvitationMailCommand(
  realm: RealmId,
  of: Invitation & { readonly email: string | null },
  inviter: DirectoryUser,
  settings: RealmSettings,
  link: InvitationLinkMaker,
): OutboxCommand {
  const organization = toSingleLine(settings.name);
  return makeSendMailCommand(realm, {
    to: of.email ?? '',
    subject: `${inviter.fullName} invites you to ${organization}`,
    text: [
      'Hello,',
      '',
      `${inviter.fullName} (${inviter.email}) invites you to join ${organization}, which talks on Conclave.`,
      'To make your account, open this link:',
      '',
      link(of),
      '',
      formatInvitationValidity(of),
      'If you do not know what this is about, there is nothing that you need to do.',
      '',
    ].join('\n'),
    bulk: true,
    needs: inviter.id,
    needsPart: makeInvitationPartName(of),
  });
}
