/**
 * Valid invitations. They are parts of the realm actor and in no directory: only users who may see them ask for them,
 * so replicas need no copy.
 */

import type { Json } from '#base';
import type { InvitationTokenContent } from '#domain/invitations';
import { USER_ROLE } from '#domain/people';
import { ActorPartAccessor, type ActorParts, type LogItem, type RealmId } from '#model';
import type { DirectoryUser } from '#model/records';

export interface Invitation {
  readonly id: number;
  /** Invited e-mail address; null for an invitation link that is open to any number of people. */
  readonly email: string | null;
  readonly inviter: number;
  /** Time of the invitation, seconds since 1970. */
  readonly invited: number;
  /** Validity in minutes, counted from `invited`; null = unlimited. */
  readonly minutes: number | null;
  readonly role: number;
  /** Streams to which the newcomer is subscribed; [] = the default streams. */
  readonly streams: readonly number[];
  /** Random text of the invitation; its link contains the same text (`InvitationTokenContent`). */
  readonly nonce: string;
}

type InvitationKind = InvitationTokenContent['kind'];

/** Prefixes of the parts with invitations to one address each, and with links for any number of people. */
export const INVITATION_PART_PREFIXES: Readonly<Record<InvitationKind, string>> = {
  single: 'invitation/',
  link: 'invitation-link/',
};

const getInvitationKind = ({ email }: Invitation): InvitationKind => (email === null ? 'link' : 'single');

const INVITATION_TABLE_BY_KIND: Readonly<Record<InvitationKind, ActorPartAccessor<Invitation>>> = {
  single: new ActorPartAccessor(INVITATION_PART_PREFIXES.single),
  link: new ActorPartAccessor(INVITATION_PART_PREFIXES.link),
};

export const makeInvitationPartName = (of: Invitation): string =>
  INVITATION_TABLE_BY_KIND[getInvitationKind(of)].partNameOf(of.id);
export const encodeInvitation = (of: Invitation): Json => of as unknown as Json;

export const makeInvitationTokenContent = (realm: RealmId, of: Invitation): InvitationTokenContent => ({
  realm,
  kind: getInvitationKind(of),
  id: of.id,
  nonce: of.nonce,
});

/** Time at which the invitation expires, seconds since 1970; null = never. */
export const computeInvitationExpirySeconds = ({ invited, minutes }: Invitation): number | null =>
  minutes === null ? null : invited + minutes * 60;

const isInvitationValid = (of: Invitation, now: number): boolean =>
  (computeInvitationExpirySeconds(of) ?? Number.POSITIVE_INFINITY) * 1000 > now;

/** The invitation with this id, unless it has expired. @param now ms */
export function findValidInvitation(
  parts: ActorParts,
  kind: InvitationKind,
  id: number,
  now: number,
): Invitation | undefined {
  const found = INVITATION_TABLE_BY_KIND[kind].findPartValue(parts, id);
  return found && isInvitationValid(found, now) ? found : undefined;
}

/** Valid invitations, by id. @param now ms */
export const listValidInvitations = (parts: ActorParts, kind: InvitationKind, now: number): Invitation[] =>
  [...INVITATION_TABLE_BY_KIND[kind].values(parts)]
    .filter((of) => isInvitationValid(of, now))
    .sort((a, b) => a.id - b.id);

/** Parts that delete expired invitations, for the commit that stores new ones. @param now ms */
export function makeExpiredInvitationDeletions(parts: ActorParts, now: number): Record<string, Json> {
  const gone: Record<string, Json> = {};
  for (const table of Object.values(INVITATION_TABLE_BY_KIND)) {
    for (const of of table.values(parts)) if (!isInvitationValid(of, now)) gone[makeInvitationPartName(of)] = null;
  }
  return gone;
}

/** Parts that delete all invitations to an address, for the commit that adds its account; links stay valid. */
export function makeInvitationDeletionsForAddress(parts: ActorParts, email: string, now: number): Record<string, Json> {
  const folded = email.toLowerCase();
  const gone = listValidInvitations(parts, 'single', now).filter((of) => of.email?.toLowerCase() === folded);
  return Object.fromEntries(gone.map((of) => [makeInvitationPartName(of), null]));
}

/** Event for administrators: the list of invitations has changed. @param version of the commit */
export const makeInvitationsChangedEvent = (version: number): LogItem => ({
  t: 'event',
  to: { role: USER_ROLE.admin, rv: version },
  event: { type: 'invites_changed' },
});

/** Weakest role that may invite others to this role. The organization's policy may still forbid it. */
export function weakestInviterRole(kind: InvitationKind, role: number): number {
  if (role === USER_ROLE.owner) return USER_ROLE.owner;
  return role < USER_ROLE.member || kind === 'link' ? USER_ROLE.admin : USER_ROLE.member;
}

/**
 * Parts that delete the invitations which a user made and may no longer make, and the event, for the commit that
 * deactivates the account or changes its role.
 */
export function makeInvitationsRevocationOfUser(
  parts: ActorParts,
  user: DirectoryUser,
  version: number,
): { readonly parts: Record<string, Json>; readonly events: LogItem[] } {
  const gone: Record<string, Json> = {};
  for (const table of Object.values(INVITATION_TABLE_BY_KIND)) {
    for (const of of table.values(parts)) {
      if (of.inviter !== user.id) continue;
      if (user.isActive && user.role <= weakestInviterRole(getInvitationKind(of), of.role)) continue;
      gone[makeInvitationPartName(of)] = null;
    }
  }
  return { parts: gone, events: Object.keys(gone).length > 0 ? [makeInvitationsChangedEvent(version)] : [] };
}
