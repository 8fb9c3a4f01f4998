/**
 * The function through which every change of an account goes. It stores the account, updates the replicas of the
 * directory, and adds the effects of other areas.
 */

import { makeSuccessReply } from '#actors/shared';
import { type RealmId, userActorKey } from '#model';
import { type ActorCommandName, makeOutboxCommand, type NoCommandArguments, type OutboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, CommandOutcome } from '#runtime';
import { makeInvitationsRevocationOfUser } from '../../invitations.js';
import { makeDirectoryLogItem } from '../../log-items.js';
import { encodeDirectoryRecord, type RealmActorState, USER_PART_PREFIX } from '../../state.js';
import { makeBotEventsOfAccountChange } from '../bots/bot-effects.js';
import type { RealmActorView } from '../command.js';
import { type AccountChange, type AccountChangeHook, mergePartialCommits, type PartialCommit } from './effect.js';
import { endSessionsOfDeactivatedAccount } from './sessions.js';

/**
 * The effect of a changed account: the stored account, its directory item, and what other areas contribute.
 *
 * @param own events and commands of the change itself; they precede those of other areas
 */
export function makeAccountChangeCommit(
  change: AccountChange,
  own: PartialCommit,
  view: RealmActorView,
  context: CommandContext,
): Required<PartialCommit> {
  const { after } = change;
  return mergePartialCommits([
    {
      parts: { [`${USER_PART_PREFIX}${after.id}`]: encodeDirectoryRecord(after) },
      events: [makeDirectoryLogItem({ user: after })],
    },
    own,
    ...ACCOUNT_CHANGE_HOOKS.map((effect) => effect(change, view, context)),
  ]);
}

/** Effect on invitations: a deactivation, or a role with fewer permissions, revokes those that the account made. */
const revokeInvitationsOfWeakenedAccount: AccountChangeHook = ({ before, after }, { parts }, { version }) =>
  (before.isActive && !after.isActive) || after.role > before.role
    ? makeInvitationsRevocationOfUser(parts, after, version)
    : {};

/** Effects that areas other than accounts contribute, in the order of their events. */
const ACCOUNT_CHANGE_HOOKS: readonly AccountChangeHook[] = [
  makeBotEventsOfAccountChange,
  revokeInvitationsOfWeakenedAccount,
  endSessionsOfDeactivatedAccount,
];

/** Command that the system, not a user, sends to the user actor of an account. */
export const makeSystemCommandToUserActor = (
  realm: RealmId,
  { id }: DirectoryUser,
  name: ActorCommandName<'user', NoCommandArguments>,
  after: number,
): OutboxCommand => makeOutboxCommand({ to: userActorKey(realm, id), name, args: {}, caller: 0, after });

/** Outcome that commits an effect and replies with success. The reply waits for the commands of the effect. */
export function makeOutcomeOfPartialCommit(
  { parts = {}, events = [], commands = [] }: PartialCommit,
  version: number,
): CommandOutcome<RealmActorState> {
  return {
    reply: makeSuccessReply(undefined, version),
    parts,
    events,
    ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
  };
}
