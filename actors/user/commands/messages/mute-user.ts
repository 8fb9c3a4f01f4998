/**
 * POST /users/me/muted_users/{id} begins at the caller's own actor: what is unread from that user becomes read first,
 * then the realm actor stores the mute and tells of it (events.md § Order within one action).
 */

import { idEvents } from '#actors/shared';
import { markRead, type ReadableMessage, UserFlags } from '#domain/messages';
import { realmKey, userId } from '#model';
import { realmCommands, redirect, type userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { UserCommand } from '../../command.js';
import { unreadFrom } from '../../reading/unread-from.js';

export const muteUser: UserCommand<typeof userCommands.muteUser, readonly ReadableMessage[]> = {
  // Looking for long must not keep other commands waiting.
  lane: 'mute-user',
  inputs: ({ muted_user_id }, context, sources) => unreadFrom(muted_user_id, context, sources),
  handle({ parts }, args, found, { directory, caller, realm }) {
    const { muted_user_id } = args;
    if (muted_user_id === caller) throw apiError('CANNOT_MUTE_SELF');
    const target = directory.user(userId(muted_user_id));
    if (!target || target.botType !== null) throw apiError('NO_SUCH_USER');
    if (directory.preferencesOf(userId(caller)).muted.some(({ id }) => id === muted_user_id)) {
      throw apiError('USER_ALREADY_MUTED');
    }
    const flags = new UserFlags(caller, parts);
    const read = markRead(flags, found);
    return {
      reply: { forward: redirect({ to: realmKey(realm), command: realmCommands.muteUser, args }) },
      ...(read.changed.length > 0 ? { parts: read.parts, events: idEvents(caller, read.changed) } : {}),
    };
  },
};
