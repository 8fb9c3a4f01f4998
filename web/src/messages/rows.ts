import type { Message } from '../contract/index.js';
import { type Conversation, conversationKey, conversationOf } from '../core/index.js';

/** Messages of one sender stand together when they come within this time. */
const TOGETHER_SECONDS = 10 * 60;

/** A message of the list, and what stands above it. */
export interface MessageRow {
  readonly id: number;
  /** The first message of its day. */
  readonly day: boolean;
  /** The first unread message when the view was opened. */
  readonly unread: boolean;
  /** Where the message stands, when it differs from the one above. */
  readonly conversation: Conversation | undefined;
  /** Whether sender and time are shown. */
  readonly lead: boolean;
}

/** Offsets of time zones are multiples of a quarter of an hour, so each quarter lies in one day. */
const QUARTER_SECONDS = 900;
const MAX_QUARTERS = 20_000;
const days = new Map<number, string>();

/** The reader's day of a time, remembered: the rows of thousands of messages are made again for each new one. */
function dayOf(seconds: number): string {
  const quarter = Math.floor(seconds / QUARTER_SECONDS);
  let day = days.get(quarter);
  if (day === undefined) {
    if (days.size >= MAX_QUARTERS) days.clear();
    day = new Date(seconds * 1000).toDateString();
    days.set(quarter, day);
  }
  return day;
}

/**
 * The rows of a list of messages.
 *
 * @param messageOf a message by its id; ids without one are left out
 * @param marked id of the first unread message
 * @param known rows of the last call; equal ones are reused, so that their components don't render again
 */
export function rowsOf(
  ids: readonly number[],
  messageOf: (id: number) => Message | undefined,
  me: number,
  marked: number | undefined,
  known: ReadonlyMap<number, MessageRow>,
): readonly MessageRow[] {
  const rows: MessageRow[] = [];
  let before: Message | undefined;
  let beforeKey = '';
  for (const id of ids) {
    const message = messageOf(id);
    if (!message) continue;
    const conversation = conversationOf(message, me);
    const key = conversationKey(conversation);
    const day = before === undefined || dayOf(before.timestamp) !== dayOf(message.timestamp);
    const unread = id === marked;
    const moved = key !== beforeKey;
    const lead =
      day ||
      unread ||
      moved ||
      before?.sender_id !== message.sender_id ||
      before.is_me_message ||
      message.is_me_message ||
      message.timestamp - before.timestamp > TOGETHER_SECONDS;
    const was = known.get(id);
    const same =
      was !== undefined &&
      was.day === day &&
      was.unread === unread &&
      was.lead === lead &&
      (was.conversation !== undefined) === (moved || day) &&
      (was.conversation === undefined || conversationKey(was.conversation) === key);
    rows.push(same ? was : { id, day, unread, lead, conversation: moved || day ? conversation : undefined });
    before = message;
    beforeKey = key;
  }
  return rows;
}
