/** What changing an account does: it is stored, replicas and clients hear of it, and other features follow. */

import { success } from '#actors/shared';
import type { RealmId } from '#model';
import { userKey } from '#model';
import type { Command, NoArgs, OutboxCommand } from '#model/commands';
import { outboxCommand } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { CommandContext, Outcome } from '#runtime';
import { withoutInvitationsBy } from '../../invitations.js';
import { directoryItem } from '../../log-items.js';
import type { RealmState } from '../../state.js';
import { toPart, USER_PART } from '../../state.js';
import { botEffect } from '../bots/bot-effects.js';
import type { RealmView } from '../command.js';
import type { AccountChange, AccountEffect, Effect } from './effect.js';
import { mergeEffects } from './effect.js';

/** @param own what clients hear of the change itself, before they hear what follows from it */
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

/** Nobody joins on the invitation of somebody who is gone. */
const invitationsEnd: AccountEffect = ({ before, after }, { parts }, { version }) =>
  before.isActive && !after.isActive ? withoutInvitationsBy(parts, after.id, version) : {};

/** In the order in which clients hear of them. */
export const ACCOUNT_EFFECTS: readonly AccountEffect[] = [botEffect, invitationsEnd];

/** For the account's own actor. */
export const toUserActor = (
  realm: RealmId,
  { id }: DirectoryUser,
  name: Command<'user', NoArgs>,
  after: number,
): OutboxCommand => outboxCommand({ to: userKey(realm, id), name, args: {}, caller: 0, after });

/** The outcome of changing accounts. */
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
