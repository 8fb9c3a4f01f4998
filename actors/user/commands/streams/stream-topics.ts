/** GET /users/me/{stream_id}/topics (streams.md): lists the topics of a stream. */

import { makeSuccessReply } from '#actors/shared';
import type { Json } from '#base';
import { makeNarrowQueryPlan, NEWEST_ANCHOR_MESSAGE_ID, type ResolvedNarrowTerm } from '#domain/messages';
import { mayAccessStream, mayReadStreamHistory, toComparableTopicKey } from '#domain/streams';
import { type StreamId, streamActorKey, toStreamId } from '#model';
import { makeRedirectCommand, streamActorCommands, type userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { UserCommandHandler } from '../../state.js';
import { loadMessageReadingRights, type MessageReadingRights } from '../messages/on-message.js';

interface ListedTopic {
  readonly name: string;
  readonly max_id: number;
}

/** Number of topics whose messages are looked up at the same time. */
const TOPICS_LOOKED_UP_AT_ONCE = 32;

/** Topics with messages that the reader received, each spelled as in the newest of these messages. */
async function listReceivedTopics(
  topics: readonly ListedTopic[],
  stream: StreamId,
  { reader, viewer }: MessageReadingRights,
): Promise<ListedTopic[]> {
  const own: ListedTopic[] = [];
  for (let i = 0; i < topics.length; i += TOPICS_LOOKED_UP_AT_ONCE) {
    const found = await Promise.all(
      topics.slice(i, i + TOPICS_LOOKED_UP_AT_ONCE).map(({ name }) => {
        const topic: ResolvedNarrowTerm = { is: 'topic', topic: toComparableTopicKey(name), negated: false };
        return reader.scanNarrow(
          makeNarrowQueryPlan([{ is: 'stream', stream, negated: false }, topic], viewer, { copies: true }),
          NEWEST_ANCHOR_MESSAGE_ID,
          'older',
          1,
        );
      }),
    );
    for (const [newest] of found) if (newest) own.push({ name: newest.message.body.topic, max_id: newest.message.id });
  }
  return own.sort((a, b) => b.max_id - a.max_id);
}

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
    const rights = await loadMessageReadingRights(context, sources);
    const { user, directory, isSubscribed } = rights;
    const stream = directory.stream(toStreamId(stream_id));
    if (!stream || !mayAccessStream(user, stream, isSubscribed(stream.id))) throw apiError('INVALID_STREAM_ID');
    if (stream.historyPublic && mayReadStreamHistory(user, stream, isSubscribed(stream.id))) return null;
    const topics = await sources.askActor(streamActorKey(context.realm, stream.id), streamActorCommands.topicNames, {});
    return listReceivedTopics(topics as unknown as ListedTopic[], stream.id, rights);
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
