/** POST /mark_topic_as_read (messages.md): marks the messages of a topic as read. */

import { readIdsEvents, successReply } from '#actors/shared';
import { markMessagesRead, type StoredMessage, streamConversationName, UnreadScan, UserFlags } from '#domain/messages';
import { canAccessStream, toTopicKey } from '#domain/streams';
import { streamId } from '#model';
import type { TopicName, userCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { InputContext } from '#runtime';
import type { InputSources } from '../../../services.js';
import { awaitPublished } from '../../reading/newest.js';
import { isSubscribed, type UserCommand, type UserState } from '../../state.js';
import { loadReadingRights } from './on-message.js';

interface TopicMarking {
  readonly stream: 'closed' | 'open';
  /** True if the user has a message of the topic. */
  readonly known: boolean;
  /** Messages of the topic that may be unread. */
  readonly messages: readonly StoredMessage[];
}

async function lookAt(
  { stream, topic }: TopicName,
  { realm, caller, view }: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<TopicMarking> {
  const index = { by: 'topic', conversation: streamConversationName(stream), topicKey: toTopicKey(topic) } as const;
  const flags = new UserFlags(caller, view.parts);
  const reading = flags.reading(stream);
  const made = flags.personalCopyTest();
  const scan = new UnreadScan(sources.store, realm, caller);
  const messages: StoredMessage[] = [];
  for await (const batch of scan.upwards(index, reading.mark, made)) messages.push(...batch);
  for await (const batch of scan.movedTo(stream, [index])) messages.push(...batch);
  const excepted = await scan.unreadExceptions(reading.unread.ids);
  const here = ({ body }: StoredMessage): boolean =>
    body.stream === stream && toTopicKey(body.topic) === index.topicKey;
  messages.push(...excepted.filter(here));
  const known = messages.length > 0 || (await scan.hasAny(index, made));
  await awaitPublished(realm, messages, sources);
  return { stream: 'open', known, messages: [...new Map(messages.map((one) => [one.id, one])).values()] };
}

export const markTopicReadHandler: UserCommand<typeof userCommands.markTopicRead, TopicMarking> = {
  lane: 'mark-topic',
  async inputs(args, context, sources) {
    const { directory, user } = await loadReadingRights(context, sources);
    const stream = directory.stream(streamId(args.stream));
    if (!stream || !canAccessStream(user, stream, isSubscribed(context.view.parts, args.stream))) {
      return { stream: 'closed', known: false, messages: [] };
    }
    return lookAt(args, context, sources);
  },
  handle({ parts }, { topic }, marking, { caller }) {
    if (marking.stream === 'closed') throw apiError('INVALID_STREAM_ID');
    if (!marking.known) throw apiError('NO_SUCH_TOPIC', { topic_name: topic });
    const own = marking.messages.map((message) => ({ message, copy: true, gained: false }));
    const { changed, parts: written } = markMessagesRead(new UserFlags(caller, parts), own);
    return { reply: successReply(), parts: written, events: readIdsEvents(caller, changed) };
  },
};
