/** Moves and renames of topics. The list of messages and the compose box follow them; neither imports the other. */
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
  /** Whether the whole topic was moved. */
  readonly isWholeTopic: boolean;
  /** Whether readers who look at the moved messages go along. */
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
  // A change of case is no move.
  if (makeConversationKey(from) === makeConversationKey(to)) return undefined;
  const isWholeTopic = propagate_mode === 'change_all';
  const reader = findReaderMessageId();
  const isReaderMoved = reader !== undefined && messageIds.includes(reader);
  const isEditMoved = messageIds.includes(core.sharedViewState.editedMessageId.peek() ?? 0);
  return {
    ...{ from, to, messageIds, isWholeTopic },
    // A single message is moved because it was misplaced: the reader stays, unless the reader is editing it.
    takesReaderAlong: isWholeTopic || isEditMoved || (propagate_mode === 'change_later' && isReaderMoved),
  };
}

/**
 * Calls a function when messages of a topic have moved, after the state has changed and before it is rendered.
 * @param current conversation of the caller
 * @returns a function that ends it
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
