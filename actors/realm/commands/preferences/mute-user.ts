/** Muted users (users.md § Muted users); stored in the directory, so that every replica can apply them to messages. */

import { makeSuccessReply } from '#actors/shared';
import { MAX_MUTED_USERS_PER_USER } from '#domain/people';
import type { realmActorCommands } from '#model/commands';
import { apiError, checkParameterItemCount } from '#model/errors';
import { makeUserEventLogItem } from '../../log-items.js';
import { findUserRecord, readPreferencesRecord } from '../../state.js';
import { getActingUserOrThrow } from '../callers.js';
import { NO_INPUT_COMMAND_LANE, type RealmCommandHandler } from '../command.js';
import { makeStoredPreferencesChanges } from './preferences.js';

const makeMuteOrUnmuteHandler = (mute: boolean): RealmCommandHandler<typeof realmActorCommands.muteUser> => ({
  lane: NO_INPUT_COMMAND_LANE,
  handle({ parts }, { muted_user_id }, _inputs, { caller, now, version }) {
    getActingUserOrThrow(parts, caller);
    if (mute && muted_user_id === caller) throw apiError('CANNOT_MUTE_SELF');
    const target = findUserRecord(parts, muted_user_id);
    if (!target || target.botType !== null) throw apiError('NO_SUCH_USER');
    const before = readPreferencesRecord(parts, caller);
    const known = before.muted.some(({ id }) => id === muted_user_id);
    if (mute && known) throw apiError('USER_ALREADY_MUTED');
    if (!mute && !known) throw apiError('USER_NOT_MUTED');
    const muted = mute
      ? [...before.muted, { id: muted_user_id, timestamp: Math.floor(now / 1000) }]
      : before.muted.filter(({ id }) => id !== muted_user_id);
    if (mute) checkParameterItemCount('muted_users', muted.length, MAX_MUTED_USERS_PER_USER);
    const stored = makeStoredPreferencesChanges({ ...before, muted });
    return {
      reply: makeSuccessReply(undefined, version),
      parts: stored.parts,
      events: [stored.change, makeUserEventLogItem(caller, { type: 'muted_users', muted_users: muted })],
    };
  },
});

/**
 * Stores that a user is muted. The caller's user actor redirects the request to this command after it has marked the
 * unread messages of the muted user as read.
 */
export const recordUserMutedHandler = makeMuteOrUnmuteHandler(true);
export const recordUserUnmutedHandler = makeMuteOrUnmuteHandler(false);
