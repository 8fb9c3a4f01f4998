/** POST /users/{user_id}/reactivate (users.md): the account is active again and keeps its former subscriptions. */

import { success } from '#actors/shared';
import { isAdmin } from '#domain/people';
import type { RealmSettings } from '#model';
import { type realmCommands, userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { type Parts, userOf } from '../../state.js';
import { checkMayCreateBot } from '../bots/create-bot.js';
import type { RealmCommand } from '../command.js';
import { accountChangeEffect, accountOutcome, toUserActor } from './account-changes.js';
import { userReactivatedEvents } from './person-events.js';

/** Allows administrators, and owners of a bot who may create bots of its type. @throws ApiError */
function checkMayReactivate(parts: Parts, caller: number, user: DirectoryUser, settings: RealmSettings): void {
  if (caller === 0) return;
  const acting = userOf(parts, caller);
  if (!acting || (!isAdmin(acting) && user.botOwner !== acting.id)) throw apiError('INSUFFICIENT_PERMISSION');
  if (user.botType !== null) checkMayCreateBot(acting, user.botType, settings);
}

export const reactivateUser: RealmCommand<typeof realmCommands.reactivateUser> = {
  lane: 'directory',
  exclusive: true,
  handle(view, { user_id }, _inputs, context) {
    const before = userOf(view.parts, user_id);
    if (!before) throw apiError('NO_SUCH_USER');
    checkMayReactivate(view.parts, context.caller, before, view.state.settings);
    if (before.isActive) return { reply: success() };
    const { realm, version } = context;
    const after = { ...before, isActive: true };
    const own = {
      events: userReactivatedEvents(after, view.parts, version),
      commands: [toUserActor(realm, after, userCommands.reactivated, version)],
    };
    return accountOutcome(accountChangeEffect({ before, after }, own, view, context), version);
  },
};
