/**
 * Topics that were moved or renamed, as a whole or in part: the list of messages and the compose box follow them.
 * Neither imports the other, so what both need is here.
 */
import { core } from '../client/index.js';
import type { Events } from '../contract/index.js';
import { type Conversation, makeConversationKey } from '../core/index.js';

interface TopicPlace {
  readonly stream: number;
  readonly topic: string;
}

export interface TopicMove {
  readonly from: TopicPlace;
  readonly to: TopicPlace;
  readonly messageIds: readonly number[];
  /** No message stays behind. */
  readonly isWholeTopic: boolean;
  /** The conversation goes on at the new place for those who look at messages that moved. */
  readonly takesReaderAlong: boolean;
}

/** Message that the reader looks at: the newest one if the list is at its end, else the first one on screen. */
let findReaderMessageId: () => number | undefined = () => undefined;

/** Provides the message that the reader looks at, from the list on screen. @returns a function that ends this */
export function provideReaderMessageId(find: () => number | undefined): () => void {
  findReaderMessageId = find;
  return () => {
    if (findReaderMessageId === find) findReaderMessageId = () => undefined;
  };
}

/** @returns undefined for other changes, and where the reader can't read the new place */
function findTopicMove(event: Events['update_message']): TopicMove | undefined {
  const { stream_id, new_stream_id, orig_subject, subject, propagate_mode, message_ids: messageIds } = event;
  if (stream_id === undefined || orig_subject === undefined) return undefined;
  const to = { stream: new_stream_id ?? stream_id, topic: subject ?? orig_subject };
  const from = { stream: stream_id, topic: orig_subject };
  const stream = core.state.streams.byId.peek().get(to.stream);
  if (!stream || (stream.invite_only && stream.membership !== 'subscribed')) return undefined;
  // Another case of letters is the same topic.
  if (makeConversationKey(from) === makeConversationKey(to)) return undefined;
  const isWholeTopic = propagate_mode === 'change_all';
  const reader = findReaderMessageId();
  const isReaderMoved = reader !== undefined && messageIds.includes(reader);
  return {
    ...{ from, to, messageIds, isWholeTopic },
    // A message that was moved by itself was at a wrong place: the reader stays with the conversation.
    takesReaderAlong: isWholeTopic || (propagate_mode === 'change_later' && isReaderMoved),
  };
}

/**
 * Calls when messages of a topic have moved, after the state has changed and before it is rendered.
 * @param current the conversation that may follow
 * @returns ends the calls
 */
export const listenForTopicMoves = (
  current: () => Conversation | undefined,
  call: (move: TopicMove) => void,
): (() => void) =>
  core.listenToEvents('update_message', (event) => {
    const move = findTopicMove(event);
    const followed = current();
    if (move && followed && makeConversationKey(move.from) === makeConversationKey(followed)) call(move);
  });
