/** Typing in a stream (messages.md § Typing): a transient event for the subscribers. */

import { successReply, typingEvent } from '#actors/shared';
import { checkMaySendToStream, requireActiveSender } from '#domain/messages';
import { readPreference } from '#domain/people';
import { canAccessStream, cutTopic, isCurrentMember } from '#domain/streams';
import { parseActorKey, streamId } from '#model';
import type { streamCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { StreamCommand } from '../state.js';
import { storedMember } from './members.js';

export const publishStreamTypingHandler: StreamCommand<typeof streamCommands.typing> = {
  lane: 'typing',
  read: true,
  // The stream may never have had a subscriber, so its actor may have no root yet.
  creates: true,
  handle({ state, parts }, { op, topic }, _inputs, { directory, key, caller, now }) {
    const sender = requireActiveSender(directory, caller);
    if (!readPreference(directory, sender.id, 'send_stream_typing_notifications')) throw apiError('STREAM_TYPING_OFF');
    const stream = directory.stream(streamId(Number(parseActorKey(key).rest)));
    const subscribed = (user: number): boolean => isCurrentMember(storedMember(parts, user));
    if (!stream || !canAccessStream(sender, stream, subscribed(caller))) throw apiError('INVALID_STREAM_ID');
    checkMaySendToStream(sender, stream, subscribed, directory, now);
    const place = { message_type: 'stream', stream_id: stream.id, topic: cutTopic(topic) };
    return {
      reply: successReply(),
      transient: [typingEvent(op, sender, place, { stream: stream.id, mv: state.mv })],
    };
  },
};
