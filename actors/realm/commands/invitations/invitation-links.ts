/** What commands on invitations have in common. */

import type { Subscribers } from '#actors/shared';
import { mailCommand, readSubscribers } from '#actors/shared';
import { invitationLink } from '#domain/invitations';
import { hiddenLink } from '#domain/mail';
import type { Secrets } from '#domain/secrets';
import { canAccess } from '#domain/streams';
import type { RealmId, RealmSettings } from '#model';
import type { OutboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { InputSources } from '../../../services.js';
import type { Invitation } from '../../invitations.js';
import { expiryOf, nameOf } from '../../invitations.js';
import type { Parts } from '../../state.js';
import { streamOf } from '../../state.js';

/** Address of an invitation: signed with the server's secret, which handlers do not have. */
export type LinkMaker = (of: Invitation) => string;

export const linkMaker =
  (secrets: Secrets, realm: RealmId, origin: string): LinkMaker =>
  (of) =>
    invitationLink(secrets, origin, nameOf(realm, of));

/** Hidden, for letters. */
export const hiddenLinkMaker =
  (secrets: Secrets, realm: RealmId, origin: string): LinkMaker =>
  (of) =>
    hiddenLink(secrets, invitationLink(secrets, origin, nameOf(realm, of)));

/** Subscribers of those streams where access depends on them. */
export function readInvitationMembers(
  streams: readonly number[],
  parts: Parts,
  realm: RealmId,
  sources: InputSources,
): Promise<Subscribers> {
  const closed = [...new Set(streams)].filter((id) => streamOf(parts, id)?.inviteOnly);
  return readSubscribers(realm, closed, sources);
}

/** The first of the streams that is none, or that the caller can't access. */
export function checkInvitedStreams(
  acting: DirectoryUser,
  streams: readonly number[],
  parts: Parts,
  members: Subscribers,
): { readonly unknown: number | undefined } {
  const accessible = (id: number): boolean => {
    const stream = streamOf(parts, id);
    if (!stream || stream.archived) return false;
    return canAccess(acting, stream, members.get(id)?.includes(acting.id) ?? false);
  };
  return { unknown: streams.find((id) => !accessible(id)) };
}

/** One line: names of organizations may hold anything. */
export const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

const until = (of: Invitation): string => {
  const expiry = expiryOf(of);
  if (expiry === null) return 'The link does not expire.';
  return `The link is good until ${new Date(expiry * 1000).toISOString().slice(0, 16).replace('T', ' ')} (UTC).`;
};

/** The letter. @param link hidden */
export function invitationMail(
  realm: RealmId,
  of: Invitation & { readonly email: string | null },
  inviter: DirectoryUser,
  settings: RealmSettings,
  link: LinkMaker,
): OutboxCommand {
  const organization = flat(settings.name);
  return mailCommand(realm, {
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
      until(of),
      'If you do not know what this is about, there is nothing that you need to do.',
      '',
    ].join('\n'),
  });
}
