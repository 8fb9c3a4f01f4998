/** POST /users/{user_id}/reactivate (users.md): the account is active again and keeps its former subscriptions. */

import { makeSuccessReply } from '#actors/shared';
import { isAdminOrOwner } from '#domain/people';
import type { ProductEmoji, RealmSettings } from '#model';
import { type realmActorCommands, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { DirectoryUser } from '#model/records';
import { checkBotNameIsUnique } from '../../bots.js';
import { type ActorParts, findUserRecord } from '../../state.js';
import { checkMayCreateBot } from '../bots/create-bot.js';
import type { RealmCommandHandler } from '../command.js';
import {
  makeAccountChangeCommit,
  makeOutcomeOfPartialCommit,
  makeSystemCommandToUserActor,
} from './account-changes.js';
import { makeUserReactivatedEvents } from './person-events.js';

/** Allows administrators, and owners of a bot who may create bots of its type. @throws ApiError */
function checkMayReactivate(parts: ActorParts, caller: number, user: DirectoryUser, settings: RealmSettings): void {
  if (caller === 0) return;
  const acting = findUserRecord(parts, caller);
  if (!acting || (!isAdminOrOwner(acting) && user.botOwner !== acting.id)) throw apiError('INSUFFICIENT_PERMISSION');
  if (user.botType !== null) checkMayCreateBot(acting, user.botType, settings);
}

export const reactivateUserHandler: RealmCommandHandler<typeof realmActorCommands.reactivateUser, ProductEmoji> = {
  lane: 'directory',
  exclusive: true,
  inputs: (_args, _context, { services }) => services.productEmoji,
  handle(view, { user_id }, productEmoji, context) {
    const before = findUserRecord(view.parts, user_id);
    if (!before) throw apiError('NO_SUCH_USER');
    checkMayReactivate(view.parts, context.caller, before, view.state.settings);
    if (before.isActive) return { reply: makeSuccessReply() };
    const { fullName: full_name } = before;
    if (before.botType !== null)
      checkBotNameIsUnique(view.parts, full_name, apiError('REACTIVATED_BOT_NAME_IN_USE', { full_name }));
    const { realm, version } = context;
    const after = { ...before, isActive: true };
    const own = {
      events: makeUserReactivatedEvents(after, view, productEmoji, version),
      commands: [makeSystemCommandToUserActor(realm, after, userActorCommands.reactivated, version)],
    };
    return makeOutcomeOfPartialCommit(makeAccountChangeCommit({ before, after }, own, view, context), version);
  },
};
