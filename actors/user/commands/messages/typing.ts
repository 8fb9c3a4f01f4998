/** Typing of a direct message (messages.md § Typing): a transient event for the participants. */

import { presentTypist, successReply, typingEvent } from '#actors/shared';
import { requireActiveSender } from '#domain/messages';
import { readPreference } from '#domain/people';
import { userId } from '#model';
import type { userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { UserCommand } from '../../state.js';

export const publishDirectTypingHandler: UserCommand<typeof userCommands.typing> = {
  lane: 'read',
  read: true,
  handle(_view, { op, to }, _inputs, { directory, caller }) {
    const sender = requireActiveSender(directory, caller);
    if (!readPreference(directory, sender.id, 'send_private_typing_notifications')) throw apiError('DIRECT_TYPING_OFF');
    // The sender comes last, unless the request names them.
    const recipients = [...new Set([...to, caller])].map((id) => {
      const user = directory.user(userId(id));
      if (!user) throw apiError('INVALID_USER_ID', { user_id: id });
      return user;
    });
    const users = recipients.filter((user) => user.isActive).map((user) => user.id);
    const place = { message_type: 'private', recipients: recipients.map(presentTypist) };
    return { reply: successReply(), transient: [typingEvent(op, sender, place, { users })] };
  },
};
