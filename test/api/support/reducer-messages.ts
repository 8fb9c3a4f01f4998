/** The reducer's part for messages that were changed, moved or deleted. */
import type { State } from './reducer.js';
import { mentionsChanged, messagesGone, messagesMoved } from './reducer-unread.js';
import type { ApiEvent } from './types.js';

/** Returns undefined for any other event. */
export function applyToMessages(state: State, event: ApiEvent): State | undefined {
  if (event.type === 'delete_message') {
    const { message_ids, message_id } = event as { message_ids?: number[]; message_id?: number };
    if ((message_ids === undefined) === (message_id === undefined)) throw new Error('one form or the other');
    const ids = message_ids ?? [message_id!];
    if (ids.includes(state.max_message_id)) throw new Error('what the newest message is now, no event tells');
    const gone = messagesGone(state, ids);
    const direct = event.message_type === 'private' && gone.recent_private_conversations !== undefined;
    return direct ? { ...gone, recent_private_conversations: 'unsure' } : gone;
  }
  if (event.type !== 'update_message') return undefined;
  const ids = event.message_ids as number[];
  const flags = event.flags as string[];
  const subscribed = (id: unknown): boolean => state.subscriptions.some(({ stream_id }) => stream_id === id);
  // A user outside the new stream loses the moved messages.
  const { new_stream_id, stream_id } = event;
  if (new_stream_id !== undefined && subscribed(stream_id) && !subscribed(new_stream_id)) {
    return messagesGone(state, ids);
  }
  const stream = (event.new_stream_id ?? event.stream_id) as number | undefined;
  const moved =
    stream !== undefined && event.orig_subject !== undefined
      ? messagesMoved(state, ids, stream, event.subject as string | undefined)
      : state;
  return event.content === undefined ? moved : mentionsChanged(moved, event.message_id as number, flags);
}
