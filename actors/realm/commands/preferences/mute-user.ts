/** Muted users (users.md § Muted users); stored in the directory, so that every replica can apply them to messages. */

import { successReply } from '#actors/shared';
import type { realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { userEventItem } from '../../log-items.js';
import { preferencesRecord, userRecord } from '../../state.js';
import { requireActingUser } from '../callers.js';
import { type RealmCommand, SETTINGS_LANE } from '../command.js';
import { storePreferences } from './preferences.js';

const muteCommand = (mute: boolean): RealmCommand<typeof realmCommands.muteUser> => ({
  lane: SETTINGS_LANE,
  handle({ parts }, { muted_user_id }, _inputs, { caller, now, version }) {
    requireActingUser(parts, caller);
    if (mute && muted_user_id === caller) throw apiError('CANNOT_MUTE_SELF');
    const target = userRecord(parts, muted_user_id);
    if (!target || target.botType !== null) throw apiError('NO_SUCH_USER');
    const before = preferencesRecord(parts, caller);
    const known = before.muted.some(({ id }) => id === muted_user_id);
    if (mute && known) throw apiError('USER_ALREADY_MUTED');
    if (!mute && !known) throw apiError('USER_NOT_MUTED');
    const muted = mute
      ? [...before.muted, { id: muted_user_id, timestamp: Math.floor(now / 1000) }]
      : before.muted.filter(({ id }) => id !== muted_user_id);
    const stored = storePreferences({ ...before, muted });
    return {
      reply: successReply(undefined, version),
      parts: stored.parts,
      events: [stored.change, userEventItem(caller, { type: 'muted_users', muted_users: muted })],
    };
  },
});

/**
 * Mutes a user. The caller's user actor redirects the command here after it has marked the unread messages of the muted
 * user as read.
 */
export const muteUser = muteCommand(true);
export const unmuteUser = muteCommand(false);
