/** Every change of an account goes through here: its record, the item for replicas, and the effects of other areas. */

import { success } from '#actors/shared';
import { type RealmId, userKey } from '#model';
import { type Command, type NoArgs, type OutboxCommand, outboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, Outcome } from '#runtime';
import { withoutInvitationsBy } from '../../invitations.js';
import { directoryItem } from '../../log-items.js';
import { type RealmState, toPart, USER_PART } from '../../state.js';
import { botEffect } from '../bots/bot-effects.js';
import type { RealmView } from '../command.js';
import { type AccountChange, type AccountEffect, type Effect, mergeEffects } from './effect.js';
import { sessionEffect } from './sessions.js';

/** @param own events and commands of the change itself; they precede those of other areas */
export function accountChangeEffect(
  change: AccountChange,
  own: Effect,
  view: RealmView,
  context: CommandContext,
): Required<Effect> {
  const { after } = change;
  return mergeEffects([
    {
      parts: { [`${USER_PART}${after.id}`]: toPart(after) },
      events: [directoryItem({ user: after })],
    },
    own,
    ...ACCOUNT_EFFECTS.map((effect) => effect(change, view, context)),
  ]);
}

/** Deactivating an account revokes its invitations. */
const invitationEffect: AccountEffect = ({ before, after }, { parts }, { version }) =>
  before.isActive && !after.isActive ? withoutInvitationsBy(parts, after.id, version) : {};

/** Effects of other areas, in the order of their events. */
export const ACCOUNT_EFFECTS: readonly AccountEffect[] = [botEffect, invitationEffect, sessionEffect];

/** A command of the system to the account's own actor. */
export const toUserActor = (
  realm: RealmId,
  { id }: DirectoryUser,
  name: Command<'user', NoArgs>,
  after: number,
): OutboxCommand => outboxCommand({ to: userKey(realm, id), name, args: {}, caller: 0, after });

/** Outcome of a command that changes accounts. */
export function accountOutcome(
  { parts = {}, events = [], commands = [] }: Effect,
  version: number,
): Outcome<RealmState> {
  return {
    reply: success(undefined, version),
    parts,
    events,
    ...(commands.length > 0 ? { commands: [commands], replyAfterCommands: true } : {}),
  };
}
