/** Typing of a direct message (messages.md § Typing): a transient event for the participants. */

import { formatTypingUserForApi, makeSuccessReply, makeTypingEvent } from '#actors/shared';
import { requireActiveSender } from '#domain/messages';
import { readUserSettingByUserId } from '#domain/people';
import { toUserId } from '#model';
import type { userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { UserCommandHandler } from '../../state.js';

export const publishDirectTypingHandler: UserCommandHandler<typeof userActorCommands.typing> = {
  lane: 'read',
  read: true,
  handle(_view, { op, to }, _inputs, { directory, caller }) {
    const sender = requireActiveSender(directory, caller);
    if (!readUserSettingByUserId(directory, sender.id, 'send_private_typing_notifications'))
      throw apiError('DIRECT_TYPING_OFF');
    // The sender comes last, unless the request names them.
    const recipients = [...new Set([...to, caller])].map((id) => {
      const user = directory.user(toUserId(id));
      if (!user) throw apiError('INVALID_USER_ID', { user_id: id });
      return user;
    });
    const users = recipients.filter((user) => user.isActive).map((user) => user.id);
    const place = { message_type: 'private', recipients: recipients.map(formatTypingUserForApi) };
    return { reply: makeSuccessReply(), transient: [makeTypingEvent(op, sender, place, { users })] };
  },
};
