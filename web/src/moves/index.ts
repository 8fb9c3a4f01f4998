/**
 * Topics that were moved or renamed as a whole: the list of messages and the compose box follow them. Neither imports
 * the other, so what both need is here.
 */
import { core } from '../client/index.js';
import type { Events } from '../contract/index.js';
import { type Conversation, makeConversationKey } from '../core/index.js';

interface TopicPlace {
  readonly stream: number;
  readonly topic: string;
}

interface TopicMove {
  readonly from: TopicPlace;
  readonly to: TopicPlace;
}

/** @returns undefined for other changes, and where the reader can't read the new place */
function findTopicMove(event: Events['update_message']): TopicMove | undefined {
  const { stream_id: from, new_stream_id, orig_subject, subject, propagate_mode } = event;
  if (from === undefined || orig_subject === undefined || propagate_mode !== 'change_all') return undefined;
  const to = new_stream_id ?? from;
  const stream = core.state.streams.byId.peek().get(to);
  if (!stream || (stream.invite_only && stream.membership !== 'subscribed')) return undefined;
  const move = { from: { stream: from, topic: orig_subject }, to: { stream: to, topic: subject ?? orig_subject } };
  // Another case of letters is the same topic.
  return makeConversationKey(move.from) === makeConversationKey(move.to) ? undefined : move;
}

/**
 * Calls when all of a topic has moved, after the state has changed.
 * @param current the conversation that follows
 * @returns ends the calls
 */
export const listenForTopicMoves = (
  current: () => Conversation | undefined,
  call: (to: TopicPlace) => void,
): (() => void) =>
  core.listenToEvents('update_message', (event) => {
    const move = findTopicMove(event);
    const followed = current();
    if (move && followed && makeConversationKey(move.from) === makeConversationKey(followed)) call(move.to);
  });
