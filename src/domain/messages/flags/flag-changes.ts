/**
 * Changing a user's flags on messages (messages.md § Flags): from the user's parts and the messages as the user has
 * them, which ids change and which parts to write. Pure.
 */
import type { Json } from '#base';
import type { OwnMessage } from '../access/message-access.js';
import { type HomeReading, type MarkName, markedPart, type OwnFlags, readingPart } from './read-state.js';

export interface Flagging {
  /** Ids whose flag changed, in the order given. */
  readonly changed: readonly number[];
  readonly parts: Record<string, Json>;
  /** Messages of the past of which the user has a copy from now on. */
  readonly copied?: readonly OwnMessage[];
}

export const EDITABLE_FLAGS = ['read', 'starred', 'collapsed'] as const;
export type EditableFlag = (typeof EDITABLE_FLAGS)[number];

export function withRead(reading: HomeReading, ids: readonly number[]): HomeReading {
  return {
    mark: reading.mark,
    read: reading.read.with(ids.filter((id) => id > reading.mark)),
    unread: reading.unread.without(ids),
  };
}

export const withUnread = (reading: HomeReading, ids: readonly number[]): HomeReading => ({
  mark: reading.mark,
  read: reading.read.without(ids),
  unread: reading.unread.with(ids),
});

const byHome = (messages: readonly OwnMessage[]): Map<number, number[]> => {
  const homes = new Map<number, number[]>();
  for (const { message } of messages) {
    const ids = homes.get(message.home) ?? [];
    ids.push(message.id);
    homes.set(message.home, ids);
  }
  return homes;
};

/** Marks the messages read or unread, whatever they were. */
export function readingParts(
  flags: OwnFlags,
  messages: readonly OwnMessage[],
  change: (reading: HomeReading, ids: readonly number[]) => HomeReading,
): Record<string, Json> {
  const parts: Record<string, Json> = {};
  for (const [home, ids] of byHome(messages)) {
    Object.assign(parts, readingPart(home, change(flags.reading(home), ids)));
  }
  return parts;
}

const idsOf = (messages: readonly OwnMessage[]): number[] => messages.map(({ message }) => message.id);

export function markRead(flags: OwnFlags, messages: readonly OwnMessage[]): Flagging {
  // A message without a copy counts as read.
  const changing = messages.filter((own) => own.copy && !flags.isRead(own));
  return { changed: idsOf(changing), parts: readingParts(flags, changing, withRead) };
}

/** @param subscribed streams that the user left are passed over */
export function markUnread(
  flags: OwnFlags,
  messages: readonly OwnMessage[],
  subscribed: (stream: number) => boolean,
): Flagging {
  const changing = messages.filter((own) => {
    const { stream } = own.message.body;
    return (stream === 0 || subscribed(stream)) && flags.isRead(own);
  });
  return {
    changed: idsOf(changing),
    parts: { ...readingParts(flags, changing, withUnread), ...copiesMade(flags, changing) },
    copied: withoutCopy(changing),
  };
}

export function setMark(flags: OwnFlags, messages: readonly OwnMessage[], name: MarkName): Flagging {
  const set = flags.marked(name);
  const changing = messages.filter(({ message }) => !set.has(message.id));
  if (changing.length === 0) return { changed: [], parts: {} };
  return {
    changed: idsOf(changing),
    parts: { ...markedPart(name, set.with(idsOf(changing))), ...copiesMade(flags, changing) },
    copied: withoutCopy(changing),
  };
}

export function unsetMark(flags: OwnFlags, messages: readonly OwnMessage[], name: MarkName): Flagging {
  const set = flags.marked(name);
  const changing = messages.filter(({ message }) => set.has(message.id));
  if (changing.length === 0) return { changed: [], parts: {} };
  return { changed: idsOf(changing), parts: markedPart(name, set.without(idsOf(changing))) };
}

const withoutCopy = (messages: readonly OwnMessage[]): OwnMessage[] => messages.filter((own) => !own.copy);

/** Who flags a message of the past gets a copy of it: a historical one. */
function copiesMade(flags: OwnFlags, messages: readonly OwnMessage[]): Record<string, Json> {
  const made = withoutCopy(messages);
  if (made.length === 0) return {};
  return {
    ...markedPart('historical', flags.marked('historical').with(idsOf(made))),
  };
}
