/** Events about messages, which change open windows, unread counts and conversations. */
import type { Events, Message } from '../../contract/index.js';
import { getDirectParticipantIds, getMessageConversation } from '../match.js';
import { getOtherOrOwnUserIds } from '../narrow.js';
import type { ClientState } from '../state/state.js';
import { findMentionKindInFlags } from '../state/unread.js';
import type { EventAppliers, EventApplyTarget } from './target.js';

function applyNewMessage(
  { state, windows, readMarker }: EventApplyTarget,
  { message: of, flags: sent }: Events['message'],
): void {
  const { id, stream_id: stream, subject: topic } = of;
  // A message that is seen at once is never shown as unread. Otherwise message, sidebar and title would render twice.
  const isSeen = !sent.includes('read') && windows.showsArrivalAtOnce({ ...of, flags: sent });
  if (isSeen) readMarker.reportRead([id]);
  const flags = isSeen ? ['read', ...sent] : sent;
  const message: Message = { ...of, flags };
  const me = state.me.userIdSignal.peek();
  const place = getMessageConversation(message, me);
  if (!flags.includes('read')) state.unread.putUnread(id, place, findMentionKindInFlags(flags));
  state.realm.noteMessage(id);
  if (stream === undefined) state.conversations.noteDirectMessage(getDirectParticipantIds(message), id);
  else {
    state.conversations.noteTopicMessage(stream, topic, id);
    const known = state.streams.byId.peek().get(stream);
    if (known && known.first_message_id === null) state.streams.putStream(stream, { ...known, first_message_id: id });
  }
  state.typing.noteTypingStopped(place, message.sender_id);
  windows.addArrivedMessage(message);
}

/** Content, topic or stream changed; a move names all messages that moved. */
function applyMessageUpdate({ state, windows }: EventApplyTarget, event: Events['update_message']): void {
  const { message_id, message_ids, stream_id: from, new_stream_id, orig_subject, subject, content } = event;
  const moved = from !== undefined && (new_stream_id !== undefined || orig_subject !== undefined);
  // A user who is not in the new stream loses the copies of the moved messages.
  const to = new_stream_id ?? from;
  const lost = moved && to !== from && state.streams.isSubscribed(from) && !state.streams.isSubscribed(to ?? 0);
  if (moved) moveUnreadAndTopics(state, event, from, lost);
  if (content !== undefined) state.unread.setMentionIfUnread(message_id, findMentionKindInFlags(event.flags));
  for (const id of moved ? message_ids : [message_id]) {
    windows.messageStore.changeMessage(id, (message) => ({
      ...message,
      ...(moved && new_stream_id !== undefined
        ? { stream_id: new_stream_id, display_recipient: state.streams.getStreamName(new_stream_id) }
        : {}),
      ...(lost ? { flags: ['read', 'historical'] } : {}),
      ...(moved && subject !== undefined ? { subject, topic_links: event.topic_links ?? message.topic_links } : {}),
      ...(id === message_id && content !== undefined ? makeUpdatedContentFields(event, message) : {}),
      ...(event.rendering_only ? {} : makeEditHistoryFields(event, id, message)),
    }));
  }
  if (lost) windows.removeLostCopiesFromWindows(message_ids);
  if (moved) windows.recheckChangedMessages(message_ids, 'place');
  const marked = event.flags.some((flag) => TEXT_DEPENDENT_FLAGS.has(flag));
  if (content !== undefined && (marked || windows.messageStore.holdsMessage(message_id)))
    windows.recheckChangedMessages([message_id], 'text');
}

const makeUpdatedContentFields = (event: Events['update_message'], message: Message): Partial<Message> => ({
  content: event.rendered_content ?? message.content,
  is_me_message: event.is_me_message ?? message.is_me_message,
  // The event has the flags that depend on the text. Other flags are kept.
  flags: [
    ...new Set([
      ...message.flags.filter((flag) => !event.flags.includes(flag) && !TEXT_DEPENDENT_FLAGS.has(flag)),
      ...event.flags,
    ]),
  ],
});

const TEXT_DEPENDENT_FLAGS = new Set(['mentioned', 'wildcard_mentioned', 'has_alert_word']);

function makeEditHistoryFields(event: Events['update_message'], id: number, message: Message): Partial<Message> {
  const { edit_timestamp: timestamp, user_id, stream_id, new_stream_id, orig_subject, subject } = event;
  const entry = {
    user_id,
    timestamp,
    ...(id === event.message_id && event.orig_content !== undefined ? { prev_content: event.orig_content } : {}),
    ...(orig_subject !== undefined && subject !== undefined ? { prev_topic: orig_subject, topic: subject } : {}),
    ...(new_stream_id !== undefined && stream_id !== undefined
      ? { prev_stream: stream_id, stream: new_stream_id }
      : {}),
  };
  return { last_edit_timestamp: timestamp, edit_history: [entry, ...(message.edit_history ?? [])] };
}

/** Without a copy for the user, a message can't be unread or starred. */
function dropUnreadAndStarredMarks(state: ClientState, ids: readonly number[]): void {
  state.unread.removeMessages(ids);
  state.ownLists.setMessagesStarred(ids, false);
}

function moveUnreadAndTopics(state: ClientState, event: Events['update_message'], from: number, lost: boolean): void {
  const { message_ids: ids, new_stream_id, orig_subject, subject } = event;
  const to = new_stream_id ?? from;
  if (lost) dropUnreadAndStarredMarks(state, ids);
  else state.unread.moveMessages(ids, to, subject);
  if (orig_subject !== undefined && event.propagate_mode === 'change_all') {
    state.conversations.removeTopic(from, orig_subject);
  }
  state.conversations.markTopicsIncomplete(from);
  const topic = subject ?? orig_subject;
  if (topic !== undefined) state.conversations.noteTopicMessage(to, topic, Math.max(...ids));
}

function applyMessageDeletion({ state, windows }: EventApplyTarget, event: Events['delete_message']): void {
  const ids = event.message_ids ?? (event.message_id === undefined ? [] : [event.message_id]);
  dropUnreadAndStarredMarks(state, ids);
  if (event.stream_id !== undefined) state.conversations.markTopicsIncomplete(event.stream_id);
  windows.deleteMessages(ids);
}

function applyFlagAdded(
  { state, windows }: EventApplyTarget,
  { flag, messages, all }: Events['update_message_flags/add'],
): void {
  if (flag === 'starred') state.ownLists.setMessagesStarred(messages, true);
  if (flag === 'read') {
    if (all) {
      state.unread.removeAll();
      windows.messageStore.markAllRead();
    } else state.unread.removeMessages(messages);
  }
  for (const id of messages) {
    windows.messageStore.changeMessage(id, (message) =>
      message.flags.includes(flag) ? message : { ...message, flags: [...message.flags, flag] },
    );
  }
  windows.recheckChangedMessages(messages, 'flags');
}

function applyFlagRemoved({ state, windows }: EventApplyTarget, event: Events['update_message_flags/remove']): void {
  const { flag, messages, message_details: details = {} } = event;
  if (flag === 'starred') state.ownLists.setMessagesStarred(messages, false);
  if (flag === 'read') {
    for (const id of messages) {
      const of = details[id];
      if (!of) continue;
      const users = getOtherOrOwnUserIds(of.user_ids ?? [], state.me.userIdSignal.peek());
      const place = of.stream_id === undefined ? { users } : { stream: of.stream_id, topic: of.topic ?? '' };
      state.unread.putUnread(id, place, of.mentioned === true ? 'personal' : undefined);
    }
  }
  for (const id of messages) {
    windows.messageStore.changeMessage(id, (message) => ({
      ...message,
      flags: message.flags.filter((one) => one !== flag),
    }));
  }
  windows.recheckChangedMessages(messages, 'flags');
}

const makeSameReactionTest =
  (event: Events['reaction/add'] | Events['reaction/remove']) =>
  (of: Message['reactions'][number]): boolean =>
    of.user_id === event.user_id && of.emoji_code === event.emoji_code && of.reaction_type === event.reaction_type;

function applyReactionAdded({ windows }: EventApplyTarget, event: Events['reaction/add']): void {
  const { emoji_name, emoji_code, reaction_type, user_id, user } = event;
  const { email, full_name } = user;
  windows.messageStore.changeMessage(event.message_id, (message) => ({
    ...message,
    reactions: [
      ...message.reactions.filter((of) => !makeSameReactionTest(event)(of)),
      {
        emoji_name,
        emoji_code,
        reaction_type,
        user_id,
        user: { id: user_id, email, full_name, is_mirror_dummy: false },
      },
    ],
  }));
}

/** The conversation of a typing notice; undefined for the user's own notices. */
function applyTypingNotice(
  { state }: EventApplyTarget,
  event: Events['typing/start'] | Events['typing/stop'],
  typing: boolean,
): void {
  const { recipients, stream_id, topic, sender } = event;
  const me = state.me.userIdSignal.peek();
  if (sender.user_id === me) return;
  const users = getOtherOrOwnUserIds(
    (recipients ?? []).map(({ user_id }) => user_id),
    me,
  );
  const place = stream_id === undefined ? { users } : { stream: stream_id, topic: topic ?? '' };
  if (typing) state.typing.noteTypingStarted(place, sender.user_id);
  else state.typing.noteTypingStopped(place, sender.user_id);
}

export const MESSAGE_EVENT_APPLIERS: EventAppliers<
  | 'message'
  | 'update_message'
  | 'delete_message'
  | 'update_message_flags/add'
  | 'update_message_flags/remove'
  | 'reaction/add'
  | 'reaction/remove'
  | 'submessage'
  | 'typing/start'
  | 'typing/stop'
> = {
  message: applyNewMessage,
  update_message: applyMessageUpdate,
  delete_message: applyMessageDeletion,
  'update_message_flags/add': applyFlagAdded,
  'update_message_flags/remove': applyFlagRemoved,
  'reaction/add': applyReactionAdded,
  'reaction/remove': ({ windows }, event) =>
    windows.messageStore.changeMessage(event.message_id, (message) => ({
      ...message,
      reactions: message.reactions.filter((of) => !makeSameReactionTest(event)(of)),
    })),
  submessage: ({ windows }, { submessage_id, message_id, sender_id, msg_type, content }) =>
    windows.messageStore.changeMessage(message_id, (message) => ({
      ...message,
      submessages: [...message.submessages, { id: submessage_id, message_id, sender_id, msg_type, content }],
    })),
  'typing/start': (target, event) => applyTypingNotice(target, event, true),
  'typing/stop': (target, event) => applyTypingNotice(target, event, false),
};
