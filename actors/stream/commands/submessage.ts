/** POST /submessage: data that users add to a widget (messages.md § Submessages and widgets). */

import { makeSuccessReply } from '#actors/shared';
import { makeCheckedNextSubmessage } from '#domain/messages';
import { conversationActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { MessageRecord } from '#model/records';
import {
  audienceOfMessageCopyHolders,
  loadMessageRecord,
  makeAndRecordMessageChange,
  newestVersionOfMessage,
  redirectIfOwnedElsewhere,
  requireMayAccessStreamOfMessage,
} from '../messages.js';
import { makeTopicParticipationCommands } from '../participation.js';
import type { ConversationCommandHandler } from '../state.js';

export const addSubmessageHandler: ConversationCommandHandler<
  typeof conversationActorCommands.submessage,
  MessageRecord | null
> = {
  inputs: ({ message_id }, { realm }, sources) => loadMessageRecord(realm, message_id, sources),
  handle(view, args, stored, context) {
    const message = newestVersionOfMessage(view, args.message_id, stored);
    if (!message) throw apiError('INVALID_MESSAGES');
    const moved = redirectIfOwnedElsewhere(message, context, conversationActorCommands.submessage, args);
    if (moved) return moved;
    requireMayAccessStreamOfMessage(view, message, context);
    const added = makeCheckedNextSubmessage(message, {
      sender: context.caller,
      type: args.msg_type,
      content: args.content,
    });
    const submessages = [...(message.body.submessages ?? []), added];
    const event = {
      type: 'submessage',
      message_id: message.id,
      submessage_id: added.id,
      sender_id: added.sender,
      msg_type: added.type,
      content: added.content,
    };
    const participated = makeTopicParticipationCommands([context.caller], 'other', message.body, context);
    return {
      reply: makeSuccessReply(),
      messages: [makeAndRecordMessageChange(view, message, { submessages }, context)],
      events: [{ t: 'event', to: audienceOfMessageCopyHolders(message), event }],
      ...(participated.length > 0 ? { commands: [participated] } : {}),
    };
  },
};
