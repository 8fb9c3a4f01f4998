/** GET /users/me/{stream_id}/topics (streams.md): lists the topics of a stream. */

import { successReply } from '#actors/shared';
import type { Json } from '#base';
import { makeNarrowPlan, type NarrowTerm, NEWEST_ANCHOR } from '#domain/messages';
import { canAccessStream, canReadStreamHistory, toTopicKey } from '#domain/streams';
import { type StreamId, streamId, streamKey } from '#model';
import { redirectCommand, streamCommands, type userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { UserCommand } from '../../state.js';
import { loadReadingRights, type ReadingRights } from '../messages/on-message.js';

interface ListedTopic {
  readonly name: string;
  readonly max_id: number;
}

/** Number of topics whose messages are looked up at the same time. */
const AT_ONCE = 32;

/** Topics with messages that the reader received, each spelled as in the newest of these messages. */
async function receivedTopics(
  topics: readonly ListedTopic[],
  stream: StreamId,
  { reader, viewer }: ReadingRights,
): Promise<ListedTopic[]> {
  const own: ListedTopic[] = [];
  for (let i = 0; i < topics.length; i += AT_ONCE) {
    const found = await Promise.all(
      topics.slice(i, i + AT_ONCE).map(({ name }) => {
        const topic: NarrowTerm = { is: 'topic', topic: toTopicKey(name), negated: false };
        return reader.scan(
          makeNarrowPlan([{ is: 'stream', stream, negated: false }, topic], viewer, { copies: true }),
          NEWEST_ANCHOR,
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
export const listStreamTopicsHandler: UserCommand<typeof userCommands.streamTopics, readonly ListedTopic[] | null> = {
  lane: 'read',
  read: true,
  async inputs({ stream_id }, context, sources) {
    const rights = await loadReadingRights(context, sources);
    const { user, directory, subscribed } = rights;
    const stream = directory.stream(streamId(stream_id));
    if (!stream || !canAccessStream(user, stream, subscribed(stream.id))) throw apiError('INVALID_STREAM_ID');
    if (stream.historyPublic && canReadStreamHistory(user, stream, subscribed(stream.id))) return null;
    const topics = await sources.ask(streamKey(context.realm, stream.id), streamCommands.topicNames, {});
    return receivedTopics(topics as unknown as ListedTopic[], stream.id, rights);
  },
  handle(_view, { stream_id }, own, { realm }) {
    if (own) return { reply: successReply({ topics: own as unknown as Json }) };
    return {
      reply: {
        forward: redirectCommand({
          to: streamKey(realm, streamId(stream_id)),
          command: streamCommands.listTopics,
          args: {},
        }),
      },
    };
  },
};
