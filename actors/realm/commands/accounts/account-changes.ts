/**
 * Every change of an account goes through here. The change stores the account, updates the replicas of the directory,
 * and adds the effects of other areas.
 */

import { successReply } from '#actors/shared';
import { type RealmId, userKey } from '#model';
import { type Command, type NoArguments, type OutboxCommand, outboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, Outcome } from '#runtime';
import { revokeInvitationsOf } from '../../invitations.js';
import { directoryLogItem } from '../../log-items.js';
import { encodeRecord, type RealmState, USER_PART_PREFIX } from '../../state.js';
import { botManagersEffect } from '../bots/bot-effects.js';
import type { RealmView } from '../command.js';
import { type AccountChange, type AccountEffect, type CommitEffect, mergeCommitEffects } from './effect.js';
import { sessionEffect } from './sessions.js';

/**
 * The effect of a changed account: the stored account, its directory item, and what other areas contribute.
 *
 * @param own events and commands of the change itself; they precede those of other areas
 */
export function accountChangeEffect(
  change: AccountChange,
  own: CommitEffect,
  view: RealmView,
  context: CommandContext,
): Required<CommitEffect> {
  const { after } = change;
  return mergeCommitEffects([
    {
      parts: { [`${USER_PART_PREFIX}${after.id}`]: encodeRecord(after) },
      events: [directoryLogItem({ user: after })],
    },
    own,
    ...ACCOUNT_EFFECTS.map((effect) => effect(change, view, context)),
  ]);
}

/** Effect on invitations: deactivating an account revokes those that it made. */
const invitationEffect: AccountEffect = ({ before, after }, { parts }, { version }) =>
  before.isActive && !after.isActive ? revokeInvitationsOf(parts, after.id, version) : {};

/** Effects that areas other than accounts contribute, in the order of their events. */
const ACCOUNT_EFFECTS: readonly AccountEffect[] = [botManagersEffect, invitationEffect, sessionEffect];

/** Command that the system, not a user, sends to the user actor of an account. */
export const commandToUserActor = (
  realm: RealmId,
  { id }: DirectoryUser,
  name: Command<'user', NoArguments>,
  after: number,
): OutboxCommand => outboxCommand({ to: userKey(realm, id), name, args: {}, caller: 0, after });

/** Outcome that commits an effect and replies with success. The reply waits for the commands of the effect. */
export function outcomeOfEffect(
  { parts = {}, events = [], commands = [] }: CommitEffect,
  version: number,
): Outcome<RealmState> {
  return {
    reply: successReply(undefined, version),
    parts,
    events,
    ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
  };
}
