/**
 * Changes of a user's flags (messages.md § Flags): computes which ids change and which parts of the user's actor to
 * write. The functions have no side effects.
 */
import type { Json } from '#base';
import type { ReadableMessage } from '../access/message-access.js';
import { streamMovesOfMessage } from '../stored/packed-view.js';
import {
  encodeMarkedMessageIdsPart,
  encodeOriginReadStatePart,
  type MessageMarkName,
  type OriginReadState,
  PERSONAL_COPIES_AFTER_MOVES_PART,
  type PersonalCopyMarkName,
  type UserMessageFlagsView,
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

export function withReadMessageIds(reading: OriginReadState, ids: readonly number[]): OriginReadState {
  return {
    mark: reading.mark,
    read: reading.read.withIds(ids.filter((id) => id > reading.mark)),
    unread: reading.unread.withoutIds(ids),
  };
}

export const withUnreadMessageIds = (reading: OriginReadState, ids: readonly number[]): OriginReadState => ({
  mark: reading.mark,
  read: reading.read.withoutIds(ids),
  unread: reading.unread.withIds(ids),
});

const groupMessageIdsByOrigin = (messages: readonly ReadableMessage[]): Map<number, number[]> => {
  const origins = new Map<number, number[]>();
  for (const { message } of messages) {
    const ids = origins.get(message.originStream) ?? [];
    ids.push(message.id);
    origins.set(message.originStream, ids);
  }
  return origins;
};

/** Parts of the read state in which these messages are marked read or unread, whatever they were before. */
function makeChangedReadStateParts(
  flags: UserMessageFlagsView,
  messages: readonly ReadableMessage[],
  change: (reading: OriginReadState, ids: readonly number[]) => OriginReadState,
): Record<string, Json> {
  const parts: Record<string, Json> = {};
  for (const [origin, ids] of groupMessageIdsByOrigin(messages)) {
    Object.assign(parts, encodeOriginReadStatePart(origin, change(flags.readStateOf(origin), ids)));
  }
  return parts;
}

const messageIdsOf = (messages: readonly ReadableMessage[]): number[] => messages.map(({ message }) => message.id);

export function planMarkingMessagesRead(
  flags: UserMessageFlagsView,
  messages: readonly ReadableMessage[],
): MessageFlagUpdate {
  // A message without a copy counts as read.
  const changing = messages.filter((own) => own.copy && !flags.isRead(own));
  return { changed: messageIdsOf(changing), parts: makeChangedReadStateParts(flags, changing, withReadMessageIds) };
}

/** Marks messages as unread. @param subscribed messages of streams for which it returns false are skipped */
export function planMarkingMessagesUnread(
  flags: UserMessageFlagsView,
  messages: readonly ReadableMessage[],
  subscribed: (stream: number) => boolean,
): MessageFlagUpdate {
  const changing = messages.filter((own) => {
    const { stream } = own.message.body;
    return (stream === 0 || subscribed(stream)) && flags.isRead(own);
  });
  return {
    changed: messageIdsOf(changing),
    parts: {
      ...makeChangedReadStateParts(flags, changing, withUnreadMessageIds),
      ...makeHistoricalMarkParts(flags, changing),
    },
    newCopies: messagesWithoutCopy(changing),
  };
}

export function planSettingMessageMark(
  flags: UserMessageFlagsView,
  messages: readonly ReadableMessage[],
  name: MessageMarkName,
): MessageFlagUpdate {
  const set = flags.markedIds(name);
  // A mark of a message without a copy was lost with the copy, by a move to another stream.
  const changing = messages.filter(({ message, copy }) => !copy || !set.has(message.id));
  if (changing.length === 0) return { changed: [], parts: {} };
  return {
    changed: messageIdsOf(changing),
    parts: {
      ...makeHistoricalMarkParts(flags, changing),
      ...encodeMarkedMessageIdsPart(name, set.withIds(messageIdsOf(changing))),
    },
    newCopies: messagesWithoutCopy(changing),
  };
}

export function planUnsettingMessageMark(
  flags: UserMessageFlagsView,
  messages: readonly ReadableMessage[],
  name: MessageMarkName,
): MessageFlagUpdate {
  const set = flags.markedIds(name);
  const changing = messages.filter(({ message }) => set.has(message.id));
  if (changing.length === 0) return { changed: [], parts: {} };
  return {
    changed: messageIdsOf(changing),
    parts: encodeMarkedMessageIdsPart(name, set.withoutIds(messageIdsOf(changing))),
  };
}

const messagesWithoutCopy = (messages: readonly ReadableMessage[]): ReadableMessage[] =>
  messages.filter((own) => !own.copy);

/** A personal copy of a message, made after the message had moved to other streams this number of times. */
export interface PersonalCopy {
  readonly id: number;
  readonly moves: number;
}

/**
 * Makes the parts of the user's actor that add `historical` copies of the messages without a copy: messages of a
 * stream's history that the user has flagged.
 */
function makeHistoricalMarkParts(
  flags: UserMessageFlagsView,
  messages: readonly ReadableMessage[],
): Record<string, Json> {
  const copies = messagesWithoutCopy(messages).map(({ message }) => ({
    id: message.id,
    moves: streamMovesOfMessage(message).length,
  }));
  return makePersonalCopyParts(flags, 'historical', copies);
}

/**
 * Makes the parts of the user's actor that add the copies that the user does not have yet. If a move has taken an
 * earlier copy, its flags are removed.
 */
export function makePersonalCopyParts(
  flags: UserMessageFlagsView,
  mark: PersonalCopyMarkName,
  copies: readonly PersonalCopy[],
): Record<string, Json> {
  const movesBeforeCopy = flags.makePersonalCopyLookup();
  const made = copies.filter(({ id, moves }) => (movesBeforeCopy(id) ?? -1) < moves);
  if (made.length === 0) return {};
  const ids = made.map(({ id }) => id);
  const parts = encodeMarkedMessageIdsPart(mark, flags.markedIds(mark).withIds(ids));
  const afterMoves = made.filter(({ moves }) => moves > 0).map(({ id, moves }) => [id, moves] as const);
  if (afterMoves.length === 0) return parts;
  parts[PERSONAL_COPIES_AFTER_MOVES_PART] = { ...flags.personalCopiesAfterMoves(), ...Object.fromEntries(afterMoves) };
  for (const name of ['starred', 'collapsed'] as const) {
    const set = flags.markedIds(name);
    if (ids.some((id) => set.has(id))) Object.assign(parts, encodeMarkedMessageIdsPart(name, set.withoutIds(ids)));
  }
  return parts;
}
