/**
 * Changes of a user's flags (messages.md § Flags): computes which ids change and which parts of the user's actor to
 * write. The functions have no side effects.
 */
import type { Json } from '#base';
import type { ReadableMessage } from '../access/message-access.js';
import {
  encodeMarkedMessageIds,
  encodeOriginReadState,
  type MessageMarkName,
  type OriginReadState,
  type UserMessageFlags,
} from './read-state.js';

export interface MessageFlagUpdate {
  /** Ids of the messages whose flag changed, in the order of the request. */
  readonly changed: readonly number[];
  readonly parts: Record<string, Json>;
  /** Messages of the stream's history that this change copies for the user. */
  readonly newCopies?: readonly ReadableMessage[];
}

export const EDITABLE_MESSAGE_FLAGS = ['read', 'starred', 'collapsed'] as const;
export type EditableMessageFlag = (typeof EDITABLE_MESSAGE_FLAGS)[number];

export function addReadMessageIds(reading: OriginReadState, ids: readonly number[]): OriginReadState {
  return {
    mark: reading.mark,
    read: reading.read.with(ids.filter((id) => id > reading.mark)),
    unread: reading.unread.without(ids),
  };
}

export const addUnreadMessageIds = (reading: OriginReadState, ids: readonly number[]): OriginReadState => ({
  mark: reading.mark,
  read: reading.read.without(ids),
  unread: reading.unread.with(ids),
});

const idsByOrigin = (messages: readonly ReadableMessage[]): Map<number, number[]> => {
  const origins = new Map<number, number[]>();
  for (const { message } of messages) {
    const ids = origins.get(message.originStream) ?? [];
    ids.push(message.id);
    origins.set(message.originStream, ids);
  }
  return origins;
};

/** Parts of the read state in which these messages are marked read or unread, whatever they were before. */
function encodeReadStates(
  flags: UserMessageFlags,
  messages: readonly ReadableMessage[],
  change: (reading: OriginReadState, ids: readonly number[]) => OriginReadState,
): Record<string, Json> {
  const parts: Record<string, Json> = {};
  for (const [origin, ids] of idsByOrigin(messages)) {
    Object.assign(parts, encodeOriginReadState(origin, change(flags.readStateOf(origin), ids)));
  }
  return parts;
}

const messageIdsOf = (messages: readonly ReadableMessage[]): number[] => messages.map(({ message }) => message.id);

export function markMessagesRead(flags: UserMessageFlags, messages: readonly ReadableMessage[]): MessageFlagUpdate {
  // A message without a copy counts as read.
  const changing = messages.filter((own) => own.copy && !flags.isRead(own));
  return { changed: messageIdsOf(changing), parts: encodeReadStates(flags, changing, addReadMessageIds) };
}

/** Marks messages as unread. @param subscribed messages of streams for which it returns false are skipped */
export function markMessagesUnread(
  flags: UserMessageFlags,
  messages: readonly ReadableMessage[],
  subscribed: (stream: number) => boolean,
): MessageFlagUpdate {
  const changing = messages.filter((own) => {
    const { stream } = own.message.body;
    return (stream === 0 || subscribed(stream)) && flags.isRead(own);
  });
  return {
    changed: messageIdsOf(changing),
    parts: { ...encodeReadStates(flags, changing, addUnreadMessageIds), ...addHistoricalMarks(flags, changing) },
    newCopies: messagesWithoutCopy(changing),
  };
}

export function setMarkOnMessages(
  flags: UserMessageFlags,
  messages: readonly ReadableMessage[],
  name: MessageMarkName,
): MessageFlagUpdate {
  const set = flags.markedIds(name);
  const changing = messages.filter(({ message }) => !set.has(message.id));
  if (changing.length === 0) return { changed: [], parts: {} };
  return {
    changed: messageIdsOf(changing),
    parts: {
      ...encodeMarkedMessageIds(name, set.with(messageIdsOf(changing))),
      ...addHistoricalMarks(flags, changing),
    },
    newCopies: messagesWithoutCopy(changing),
  };
}

export function unsetMarkOnMessages(
  flags: UserMessageFlags,
  messages: readonly ReadableMessage[],
  name: MessageMarkName,
): MessageFlagUpdate {
  const set = flags.markedIds(name);
  const changing = messages.filter(({ message }) => set.has(message.id));
  if (changing.length === 0) return { changed: [], parts: {} };
  return { changed: messageIdsOf(changing), parts: encodeMarkedMessageIds(name, set.without(messageIdsOf(changing))) };
}

const messagesWithoutCopy = (messages: readonly ReadableMessage[]): ReadableMessage[] =>
  messages.filter((own) => !own.copy);

/**
 * Parts of the user's actor that give the user a `historical` copy of each of the messages that has none. The user has
 * flagged messages of a stream's history.
 */
function addHistoricalMarks(flags: UserMessageFlags, messages: readonly ReadableMessage[]): Record<string, Json> {
  const made = messagesWithoutCopy(messages);
  if (made.length === 0) return {};
  return {
    ...encodeMarkedMessageIds('historical', flags.markedIds('historical').with(messageIdsOf(made))),
  };
}
