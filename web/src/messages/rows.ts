import type { Message } from '../contract/index.js';
import { type Conversation, getMessageConversation, makeConversationKey } from '../core/index.js';
import { type DisplayZone, displayZone, getLocalDayNumber } from '../text/index.js';

/** Consecutive messages of one sender within this time show the sender once. */
const SAME_SENDER_GROUP_SECONDS = 10 * 60;

/** A message of the list and the lines above it. */
export interface MessageRow {
  readonly id: number;
  /** Whether the line with the day is above it. */
  readonly startsDay: boolean;
  /** Whether the line "New" is above it. */
  readonly isFirstUnread: boolean;
  /**
   * The conversation that a line above it names: in views of several conversations, where the conversation or the day
   * changes.
   */
  readonly newConversation: Conversation | undefined;
  /** Whether sender and time are shown. */
  readonly showsSender: boolean;
}

/** Offsets of time zones are multiples of a quarter of an hour, so each quarter lies in one day. */
const QUARTER_HOUR_SECONDS = 900;
const MAX_CACHED_QUARTER_HOURS = 20_000;
const dayNumberByQuarterHour = new Map<number, number>();
/** The zone of the cached days. */
let cachedZone: DisplayZone | undefined;

/**
 * The day of a time in the zone of all times on screen. It is cached, since each new message makes the rows of
 * thousands of messages again. Reads a signal.
 */
function getCachedLocalDayNumber(seconds: number): number {
  const zone = displayZone.value;
  if (zone !== cachedZone) {
    dayNumberByQuarterHour.clear();
    cachedZone = zone;
  }
  const quarter = Math.floor(seconds / QUARTER_HOUR_SECONDS);
  let day = dayNumberByQuarterHour.get(quarter);
  if (day === undefined) {
    if (dayNumberByQuarterHour.size >= MAX_CACHED_QUARTER_HOURS) dayNumberByQuarterHour.clear();
    day = getLocalDayNumber(seconds * 1000);
    dayNumberByQuarterHour.set(quarter, day);
  }
  return day;
}

/**
 * The rows of a list of messages.
 *
 * @param messageOf a message by its id; ids without one are left out
 * @param firstNewId the message below the line "New"
 * @param known rows of the last call; equal ones are reused, so that their components don't render again
 * @param isOneConversation whether the view shows one conversation, which the bar at the top names
 */
export function makeMessageRows(
  ids: readonly number[],
  messageOf: (id: number) => Message | undefined,
  me: number,
  firstNewId: number | undefined,
  known: ReadonlyMap<number, MessageRow>,
  isOneConversation = false,
): readonly MessageRow[] {
  const rows: MessageRow[] = [];
  let before: Message | undefined;
  let beforeKey = '';
  for (const id of ids) {
    const message = messageOf(id);
    if (!message) continue;
    const conversation = getMessageConversation(message, me);
    const key = makeConversationKey(conversation);
    const day =
      before === undefined || getCachedLocalDayNumber(before.timestamp) !== getCachedLocalDayNumber(message.timestamp);
    const unread = id === firstNewId;
    const moved = key !== beforeKey;
    const lead =
      day ||
      unread ||
      moved ||
      before?.sender_id !== message.sender_id ||
      before.is_me_message ||
      message.is_me_message ||
      message.timestamp - before.timestamp > SAME_SENDER_GROUP_SECONDS;
    const named = !isOneConversation && (moved || day);
    const was = known.get(id);
    const same =
      was !== undefined &&
      was.startsDay === day &&
      was.isFirstUnread === unread &&
      was.showsSender === lead &&
      (was.newConversation !== undefined) === named &&
      (was.newConversation === undefined || makeConversationKey(was.newConversation) === key);
    rows.push(
      same
        ? was
        : {
            id,
            startsDay: day,
            isFirstUnread: unread,
            showsSender: lead,
            newConversation: named ? conversation : undefined,
          },
    );
    before = message;
    beforeKey = key;
  }
  return rows;
}
