/**
 * Invitations of imported accounts to set a password. The import lists the accounts in a part of the realm. The realm's
 * timer has some of them invited each minute, so that no mail server takes the mails for spam. A commit makes the mails
 * of some accounts and takes these accounts off the list, so a crash repeats no invitation.
 */

import { makeValueReply } from '#actors/shared';
import type { Json, JsonObject } from '#base';
import { isReachableAddress } from '#domain/people';
import { type RealmId, realmActorKey } from '#model';
import { makeOutboxCommand, type OutboxCommand, realmActorCommands } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext } from '#runtime';
import { type ActorParts, findUserRecord } from '../../state.js';
import type { RealmActorView, RealmCommandHandler } from '../command.js';
import { makeMailToAccount } from '../mails.js';
import { makePasswordResetLinkAddition } from './mailed-links.js';
import { canSignInByPassword, makePasswordResetLink, type PasswordResetLinkInputs } from './password-reset.js';

/** Name of the part with the accounts that are still to be invited. */
export const PASSWORD_INVITATIONS_PART_NAME = 'password-invitations';

/** Maximum number of accounts that are invited at a time. */
const MAX_INVITATIONS_AT_ONCE = 60;
const INVITATION_INTERVAL_MS = 60_000;
/** Validity of the link, ms. Its holder can have a new one sent later, as after a forgotten password. */
const INVITATION_VALIDITY_MS = 7 * 86_400_000;

/** The accounts that are still to be invited. */
export interface PendingPasswordInvitations extends JsonObject {
  /** Base URL of the organization. */
  readonly origin: string;
  readonly users: readonly number[];
  /** Time of the next mails, ms. */
  readonly next: number;
}

/** Makes the part that has accounts invited, which an import writes. @param now time of the first mails, ms */
export const makePasswordInvitationsPart = (
  origin: string,
  users: readonly number[],
  now: number,
): Record<string, Json> => {
  const pending: PendingPasswordInvitations = { origin, users: [...users], next: now };
  return { [PASSWORD_INVITATIONS_PART_NAME]: pending };
};

const findPendingInvitations = (parts: ActorParts): PendingPasswordInvitations | undefined =>
  (parts.get(PASSWORD_INVITATIONS_PART_NAME) as PendingPasswordInvitations | null | undefined) ?? undefined;

/** Returns the time at which the next accounts are to be invited, ms; null: none are. */
export const nextPasswordInvitationTime = (parts: ActorParts): number | null =>
  findPendingInvitations(parts)?.next ?? null;

interface PlannedPasswordInvitations {
  /** The list with the time of the next command. */
  readonly parts: Readonly<Record<string, Json>>;
  readonly commands: readonly OutboxCommand[];
}

/** Plans the command that invites the next accounts; undefined: it is not time. A closed organization invites later. */
export function planPasswordInvitations(
  { state, parts }: RealmActorView,
  { realm, now }: CommandContext,
): PlannedPasswordInvitations | undefined {
  const pending = findPendingInvitations(parts);
  // A time later than the next interval is from a clock that was ahead.
  if (!pending || (pending.next > now && pending.next <= now + INVITATION_INTERVAL_MS)) return undefined;
  const next = { [PASSWORD_INVITATIONS_PART_NAME]: { ...pending, next: now + INVITATION_INTERVAL_MS } };
  if (state.phase !== 'active') return { parts: next, commands: [] };
  const to = realmActorKey(realm);
  return {
    parts: next,
    commands: [makeOutboxCommand({ to, name: realmActorCommands.mailPasswordInvitations, args: {}, caller: 0 })],
  };
}

/** Invites the first accounts of the list. The inputs are their links. */
export const mailPasswordInvitationsHandler: RealmCommandHandler<
  typeof realmActorCommands.mailPasswordInvitations,
  readonly PasswordResetLinkInputs[]
> = {
  lane: 'password invitations',
  exclusive: true,
  inputs(_args, { realm, view }, sources) {
    const { origin = '', users = [] } = findPendingInvitations(view.parts) ?? {};
    return users
      .slice(0, MAX_INVITATIONS_AT_ONCE)
      .map((user) => makePasswordResetLink(realm, user, origin, sources, INVITATION_VALIDITY_MS));
  },
  handle(view, _args, links, { realm, now }) {
    const { state, parts } = view;
    const reply = makeValueReply(null);
    const pending = findPendingInvitations(parts);
    if (!pending) return { reply };
    const listed = new Set(pending.users);
    const written: Record<string, Json> = {};
    const commands: OutboxCommand[] = [];
    for (const { user: id, hash, expires, sealedLink } of links) {
      const user = findUserRecord(parts, id);
      if (
        !listed.delete(id) ||
        !user?.isActive ||
        !isReachableAddress(user.deliveryEmail) ||
        !canSignInByPassword(user, state)
      )
        continue;
      Object.assign(written, makePasswordResetLinkAddition(parts, id, { hash, expires }, now));
      commands.push(makeInvitationMailCommand(user, sealedLink, pending.origin, view, realm));
    }
    const rest = { ...pending, users: [...listed] };
    return {
      reply,
      parts: { ...written, [PASSWORD_INVITATIONS_PART_NAME]: rest.users.length > 0 ? rest : null },
      commands: [commands],
    };
  },
};

const makeInvitationMailCommand = (
  user: DirectoryUser,
  link: string,
  origin: string,
  view: RealmActorView,
  realm: RealmId,
): OutboxCommand =>
  makeMailToAccount(
    realm,
    user,
    view,
    (texts, account) => texts.organizationMoved(account, { link, resetUrl: `${origin}/accounts/password/reset` }),
    { bulk: true, needs: user.id },
  );
