/** Typing in a stream (messages.md § Typing): a transient event for all subscribers, the sender among them. */

import { makeSuccessReply, makeTypingEvent } from '#actors/shared';
import { requireActiveSender, requireMaySendToStream } from '#domain/messages';
import { readUserSettingByUserId } from '#domain/people';
import { isCurrentStreamMember, mayAccessStream, truncateTopicName } from '#domain/streams';
import { parseActorKey, toStreamId } from '#model';
import type { streamActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { ConversationCommandHandler } from '../state.js';
import { findStreamMembershipRecord } from './members.js';

export const publishStreamTypingHandler: ConversationCommandHandler<typeof streamActorCommands.typing> = {
  lane: 'typing',
  read: true,
  // The stream may never have had a subscriber, so its actor may have no root yet.
  creates: true,
  handle({ state, parts }, { op, topic }, _inputs, { directory, key, caller, now }) {
    const sender = requireActiveSender(directory, caller);
    if (!readUserSettingByUserId(directory, sender.id, 'send_stream_typing_notifications'))
      throw apiError('STREAM_TYPING_OFF');
    const stream = directory.stream(toStreamId(Number(parseActorKey(key).idWithinRealm)));
    const subscribed = (user: number): boolean => isCurrentStreamMember(findStreamMembershipRecord(parts, user));
    if (!stream || !mayAccessStream(sender, stream, subscribed(caller))) throw apiError('INVALID_STREAM_ID');
    requireMaySendToStream(sender, stream, subscribed, directory, now);
    const place = { message_type: 'stream', stream_id: stream.id, topic: truncateTopicName(topic) };
    return {
      reply: makeSuccessReply(),
      transient: [makeTypingEvent(op, sender, place, { stream: stream.id, mv: state.mv })],
    };
  },
};
