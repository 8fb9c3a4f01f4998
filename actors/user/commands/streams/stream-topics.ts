/** GET /users/me/{stream_id}/topics (streams.md): lists the topics of a stream. */

import { makeSuccessReply } from '#actors/shared';
import type { Json } from '#base';
import { type ListedTopic, listReceivedTopics } from '#domain/messages';
import { mayAccessStream, mayReadStreamHistory } from '#domain/streams';
import { streamActorKey, toStreamId } from '#model';
import { makeRedirectCommand, streamActorCommands, type userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { UserCommandHandler } from '../../state.js';
import { loadMessageReadingRights } from '../messages/on-message.js';

/**
 * Lists the topics of a stream that the user may see. If the user may read the whole history, the inputs are null, and
 * the stream's actor lists all topics.
 */
export const listStreamTopicsHandler: UserCommandHandler<
  typeof userActorCommands.streamTopics,
  readonly ListedTopic[] | null
> = {
  lane: 'read',
  read: true,
  async inputs({ stream_id }, context, sources) {
    const { reader, user, directory, isSubscribed } = await loadMessageReadingRights(context, sources);
    const stream = directory.stream(toStreamId(stream_id));
    if (!stream || !mayAccessStream(user, stream, isSubscribed(stream.id))) throw apiError('INVALID_STREAM_ID');
    if (stream.historyPublic && mayReadStreamHistory(user, stream, isSubscribed(stream.id))) return null;
    const topics = await sources.askActor(streamActorKey(context.realm, stream.id), streamActorCommands.topicNames, {});
    return listReceivedTopics(topics as unknown as ListedTopic[], stream.id, reader);
  },
  handle(_view, { stream_id }, own, { realm }) {
    if (own) return { reply: makeSuccessReply({ topics: own as unknown as Json }) };
    return {
      reply: {
        forward: makeRedirectCommand({
          to: streamActorKey(realm, toStreamId(stream_id)),
          command: streamActorCommands.listTopics,
          args: {},
        }),
      },
    };
  },
};
