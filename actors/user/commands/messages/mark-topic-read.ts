/** POST /mark_topic_as_read (messages.md): marks the messages of a topic as read. */

import { makeMessagesReadEvents, makeSuccessReply } from '#actors/shared';
import {
  planMarkingMessagesRead,
  type ReadableMessage,
  type StoredMessage,
  storeNameOfStreamConversation,
  UnreadMessageScan,
  UserMessageFlagsView,
} from '#domain/messages';
import { mayAccessStream, toComparableTopicKey } from '#domain/streams';
import { toStreamId } from '#model';
import type { StreamTopic, userActorCommands } from '#model/commands';
import { apiError } from '#model/errors';
import type { CommandInputContext } from '#runtime';
import type { ActorInputSources } from '../../../services.js';
import { awaitRecentMessageEventsPublished } from '../../reading/newest.js';
import { isSubscribedToStream, type UserActorState, type UserCommandHandler } from '../../state.js';
import { loadMessageReadingRights } from './on-message.js';

interface MarkTopicReadInputs {
  readonly streamAccess: 'closed' | 'open';
  /** True if the user has a message of the topic. */
  readonly hasMessageOfTopic: boolean;
  /** Messages of the topic that may be unread. */
  readonly possiblyUnreadMessages: readonly ReadableMessage[];
}

async function loadMarkTopicReadInputs(
  { stream, topic }: StreamTopic,
  { realm, caller, view }: CommandInputContext<UserActorState, undefined>,
  sources: ActorInputSources,
): Promise<MarkTopicReadInputs> {
  const index = {
    by: 'topic',
    conversation: storeNameOfStreamConversation(stream),
    topicKey: toComparableTopicKey(topic),
  } as const;
  const flags = new UserMessageFlagsView(caller, view.parts);
  const reading = flags.readStateOf(stream);
  const made = flags.makePersonalCopyLookup();
  const scan = new UnreadMessageScan(sources.store, realm, caller);
  const asOriginalCopy = (message: StoredMessage): ReadableMessage => ({ message, copy: true, gained: false });
  const own: ReadableMessage[] = [];
  for await (const batch of scan.scanOriginalCopiesUpwards(index, reading.mark, made))
    own.push(...batch.map(asOriginalCopy));
  for await (const batch of scan.scanCopiesMovedTo(stream, made, [index])) own.push(...batch);
  const excepted = await scan.loadMessagesUnreadBelowReadMark(reading.unread.ids, made);
  const here = ({ body }: StoredMessage): boolean =>
    body.stream === stream && toComparableTopicKey(body.topic) === index.topicKey;
  own.push(...excepted.filter(here).map(asOriginalCopy));
  const known = own.length > 0 || (await scan.hasAnyCopy(index, made));
  await awaitRecentMessageEventsPublished(
    realm,
    own.map(({ message }) => message),
    sources,
  );
  return {
    streamAccess: 'open',
    hasMessageOfTopic: known,
    possiblyUnreadMessages: [...new Map(own.map((one) => [one.message.id, one])).values()],
  };
}

export const markTopicReadHandler: UserCommandHandler<typeof userActorCommands.markTopicRead, MarkTopicReadInputs> = {
  lane: 'mark-topic',
  async inputs(args, context, sources) {
    const { directory, user } = await loadMessageReadingRights(context, sources);
    const stream = directory.stream(toStreamId(args.stream));
    if (!stream || !mayAccessStream(user, stream, isSubscribedToStream(context.view.parts, args.stream))) {
      return { streamAccess: 'closed', hasMessageOfTopic: false, possiblyUnreadMessages: [] };
    }
    return loadMarkTopicReadInputs(args, context, sources);
  },
  handle({ parts }, { topic }, marking, { caller }) {
    if (marking.streamAccess === 'closed') throw apiError('INVALID_STREAM_ID');
    if (!marking.hasMessageOfTopic) throw apiError('NO_SUCH_TOPIC', { topic_name: topic });
    const flags = new UserMessageFlagsView(caller, parts);
    const { changed, parts: written } = planMarkingMessagesRead(flags, marking.possiblyUnreadMessages);
    return { reply: makeSuccessReply(), parts: written, events: makeMessagesReadEvents(caller, changed) };
  },
};
