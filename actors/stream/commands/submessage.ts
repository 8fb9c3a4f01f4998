/** POST /submessage: data that users add to a widget (messages.md § Submessages and widgets). */

import { successReply } from '#actors/shared';
import { makeNextSubmessage } from '#domain/messages';
import { conversationCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { MessageRecord } from '#model/records';
import { audienceOfCopies, changeMessageBody, latestMessage, loadMessageRecord, redirectToOwner } from '../messages.js';
import type { StreamCommand } from '../state.js';

export const addSubmessageHandler: StreamCommand<typeof conversationCommands.submessage, MessageRecord | null> = {
  inputs: ({ message_id }, { realm }, sources) => loadMessageRecord(realm, message_id, sources),
  handle(view, args, stored, context) {
    const message = latestMessage(view, args.message_id, stored);
    if (!message) throw apiError('INVALID_MESSAGES');
    const moved = redirectToOwner(message, context, conversationCommands.submessage, args);
    if (moved) return moved;
    const added = makeNextSubmessage(message, { sender: context.caller, type: args.msg_type, content: args.content });
    const submessages = [...(message.body.submessages ?? []), added];
    const event = {
      type: 'submessage',
      message_id: message.id,
      submessage_id: added.id,
      sender_id: added.sender,
      msg_type: added.type,
      content: added.content,
    };
    return {
      reply: successReply(),
      messages: [changeMessageBody(view, message, { submessages }, context)],
      events: [{ t: 'event', to: audienceOfCopies(message), event }],
    };
  },
};
