/** POST /users/{user_id}/reactivate (users.md): the account is active again and keeps its former subscriptions. */

import { successReply } from '#actors/shared';
import { isAdmin } from '#domain/people';
import type { RealmSettings } from '#model';
import { type realmCommands, userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { type ActorParts, userRecord } from '../../state.js';
import { checkMayCreateBot } from '../bots/create-bot.js';
import type { RealmCommand } from '../command.js';
import { accountChangeEffect, commandToUserActor, outcomeOfEffect } from './account-changes.js';
import { userReactivatedEvents } from './person-events.js';

/** Allows administrators, and owners of a bot who may create bots of its type. @throws ApiError */
function checkMayReactivate(parts: ActorParts, caller: number, user: DirectoryUser, settings: RealmSettings): void {
  if (caller === 0) return;
  const acting = userRecord(parts, caller);
  if (!acting || (!isAdmin(acting) && user.botOwner !== acting.id)) throw apiError('INSUFFICIENT_PERMISSION');
  if (user.botType !== null) checkMayCreateBot(acting, user.botType, settings);
}

export const reactivateUserHandler: RealmCommand<typeof realmCommands.reactivateUser> = {
  lane: 'directory',
  exclusive: true,
  handle(view, { user_id }, _inputs, context) {
    const before = userRecord(view.parts, user_id);
    if (!before) throw apiError('NO_SUCH_USER');
    checkMayReactivate(view.parts, context.caller, before, view.state.settings);
    if (before.isActive) return { reply: successReply() };
    const { realm, version } = context;
    const after = { ...before, isActive: true };
    const own = {
      events: userReactivatedEvents(after, view.parts, version),
      commands: [commandToUserActor(realm, after, userCommands.reactivated, version)],
    };
    return outcomeOfEffect(accountChangeEffect({ before, after }, own, view, context), version);
  },
};
