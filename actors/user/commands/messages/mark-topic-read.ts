/** POST /mark_topic_as_read (messages.md): marks the messages of a topic as read. */

import { makeMessagesReadEvents, makeSuccessReply } from '#actors/shared';
import {
  markMessagesRead,
  type StoredMessage,
  storeNameOfStreamConversation,
  UnreadMessageScan,
  UserMessageFlags,
} from '#domain/messages';
import { canAccessStream, toTopicKey } from '#domain/streams';
import { toStreamId } from '#model';
import type { StreamTopic, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { awaitMessageEventsPublished } from '../../reading/newest.js';
import { isSubscribedToStream, type UserActorState, type UserCommandHandler } from '../../state.js';
import { loadMessageReadingRights } from './on-message.js';

interface TopicMarkingInputs {
  readonly streamAccess: 'closed' | 'open';
  /** True if the user has a message of the topic. */
  readonly hasMessageOfTopic: boolean;
  /** Messages of the topic that may be unread. */
  readonly possiblyUnreadMessages: readonly StoredMessage[];
}

async function loadTopicMarkingInputs(
  { stream, topic }: StreamTopic,
  { realm, caller, view }: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<TopicMarkingInputs> {
  const index = {
    by: 'topic',
    conversation: storeNameOfStreamConversation(stream),
    topicKey: toTopicKey(topic),
  } as const;
  const flags = new UserMessageFlags(caller, view.parts);
  const reading = flags.readStateOf(stream);
  const made = flags.personalCopyTest();
  const scan = new UnreadMessageScan(sources.store, realm, caller);
  const messages: StoredMessage[] = [];
  for await (const batch of scan.scanUpwards(index, reading.mark, made)) messages.push(...batch);
  for await (const batch of scan.movedTo(stream, [index])) messages.push(...batch);
  const excepted = await scan.loadUnreadExceptions(reading.unread.ids);
  const here = ({ body }: StoredMessage): boolean =>
    body.stream === stream && toTopicKey(body.topic) === index.topicKey;
  messages.push(...excepted.filter(here));
  const known = messages.length > 0 || (await scan.hasAnyCopy(index, made));
  await awaitMessageEventsPublished(realm, messages, sources);
  return {
    streamAccess: 'open',
    hasMessageOfTopic: known,
    possiblyUnreadMessages: [...new Map(messages.map((one) => [one.id, one])).values()],
  };
}

export const markTopicReadHandler: UserCommandHandler<typeof userActorCommands.markTopicRead, TopicMarkingInputs> = {
  lane: 'mark-topic',
  async inputs(args, context, sources) {
    const { directory, user } = await loadMessageReadingRights(context, sources);
    const stream = directory.stream(toStreamId(args.stream));
    if (!stream || !canAccessStream(user, stream, isSubscribedToStream(context.view.parts, args.stream))) {
      return { streamAccess: 'closed', hasMessageOfTopic: false, possiblyUnreadMessages: [] };
    }
    return loadTopicMarkingInputs(args, context, sources);
  },
  handle({ parts }, { topic }, marking, { caller }) {
    if (marking.streamAccess === 'closed') throw apiError('INVALID_STREAM_ID');
    if (!marking.hasMessageOfTopic) throw apiError('NO_SUCH_TOPIC', { topic_name: topic });
    const own = marking.possiblyUnreadMessages.map((message) => ({ message, copy: true, gained: false }));
    const { changed, parts: written } = markMessagesRead(new UserMessageFlags(caller, parts), own);
    return { reply: makeSuccessReply(), parts: written, events: makeMessagesReadEvents(caller, changed) };
  },
};
