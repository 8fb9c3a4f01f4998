/**
 * Decides what a queue does with an event of the log: one verdict per event, without side effects (events.md §
 * Filtering per queue). Events that the user has no right to see do not come here (`isInEventAudience` in
 * src/delivery/audience.ts).
 */
import type { JsonObject } from '#base';
import type { SharedClientEvent } from '#delivery';
import type { ClientNeutralMessage } from '#domain/messages';
import { logPositionOfEventId } from '#model';
import type { EventQueueOptions } from '#model/commands';
import type { EventQueueActorState, SnapshotCountedMessages } from './state.js';

/** API error with which a waiting poll ends when its user is locked out. */
export type PollLockOutReason = 'ORGANIZATION_DEACTIVATED' | 'ACCOUNT_DEACTIVATED';

export type EventFilterVerdict =
  /**
   * The queue leaves the event out: the client did not ask for such events, or its snapshot already shows the change.
   */
  | { readonly kind: 'skip' }
  /** From this event on the user's clients are locked out, and the event itself is not for this queue. */
  | { readonly kind: 'lock-out'; readonly reason: PollLockOutReason }
  /** The event is queued by itself. If it reverts a flag, events under the key `reverts` stop coalescing. */
  | { readonly kind: 'append'; readonly reverts: string | undefined }
  /** The event is coalesced with the undelivered events of the same key. */
  | { readonly kind: 'coalesce'; readonly key: string; readonly reverts: string }
  /** Fields of the event must first be resolved for this recipient. */
  | { readonly kind: 'resolve' };

// Verdicts are constants, so that judging an event allocates nothing. Every queue of the event's audience judges it.
const SKIP_VERDICT: EventFilterVerdict = { kind: 'skip' };
const RESOLVE_VERDICT: EventFilterVerdict = { kind: 'resolve' };
const APPEND_VERDICT: EventFilterVerdict = { kind: 'append', reverts: undefined };
const LOCK_OUT_VERDICT_BY_REASON: Readonly<Record<PollLockOutReason, EventFilterVerdict>> = {
  ORGANIZATION_DEACTIVATED: { kind: 'lock-out', reason: 'ORGANIZATION_DEACTIVATED' },
  ACCOUNT_DEACTIVATED: { kind: 'lock-out', reason: 'ACCOUNT_DEACTIVATED' },
};

export function judgeEventForQueue(
  event: SharedClientEvent,
  user: number,
  state: EventQueueActorState,
): EventFilterVerdict {
  const lockOut = findLockOutReason(event, user);
  if (lockOut === 'ACCOUNT_DEACTIVATED') return LOCK_OUT_VERDICT_BY_REASON[lockOut];
  if (!isEventWantedByQueue(state.options, event, user) || isEventInQueueSnapshot(state, event))
    return lockOut ? LOCK_OUT_VERDICT_BY_REASON[lockOut] : SKIP_VERDICT;
  const { item } = event;
  if (item.t !== 'event') return APPEND_VERDICT;
  if (item.own) return RESOLVE_VERDICT;
  return event.type === 'update_message_flags' ? judgeFlagEvent(item.event) : APPEND_VERDICT;
}

const EVENT_TYPES_REPLACED_BY_USER_SETTINGS = new Set(['update_display_settings', 'update_global_notifications']);

/** True if the client registered for events like this one. */
export function isEventWantedByQueue(
  options: EventQueueOptions,
  event: Pick<SharedClientEvent, 'type' | 'item'>,
  user: number,
): boolean {
  const { type, item } = event;
  const { eventTypes, capabilities } = options;
  if (eventTypes !== null && !eventTypes.includes(type)) return false;
  if (item.t === 'message') {
    return (
      options.narrow.length === 0 ||
      isMessageInNarrow(options.narrow, item.message as unknown as ClientNeutralMessage, item.flags[user] ?? [])
    );
  }
  if (item.sinceLevel !== undefined && (options.apiLevel ?? 0) < item.sinceLevel) return false;
  if (item.only && capabilities[item.only.capability] !== item.only.has) return false;
  if (type === 'muted_topics' && eventTypes?.includes('user_topic')) return false;
  if (type === 'typing' && item.event.stream_id !== undefined) return capabilities.stream_typing_notifications;
  if (EVENT_TYPES_REPLACED_BY_USER_SETTINGS.has(type)) return !capabilities.user_settings_object;
  if (type === 'realm_linkifiers') return capabilities.linkifier_url_template;
  return true;
}

const equalsIgnoringCase = (a: unknown, b: string): boolean => String(a).toLowerCase() === b.toLowerCase();

function isMessageInNarrow(
  narrow: readonly (readonly string[])[],
  { common }: { readonly common: JsonObject },
  flags: readonly string[],
): boolean {
  return narrow.every(([operator, operand = '']) => {
    switch (operator) {
      case 'stream':
        return common.type === 'stream' && equalsIgnoringCase(common.display_recipient, operand);
      case 'topic':
        return common.type === 'stream' && equalsIgnoringCase(common.subject, operand);
      case 'sender':
        return equalsIgnoringCase(common.sender_email, operand);
      case 'is':
        if (operand === 'dm' || operand === 'private') return common.type === 'private';
        if (operand === 'starred') return flags.includes('starred');
        if (operand === 'unread') return !flags.includes('read');
        if (operand === 'alerted' || operand === 'mentioned') return flags.includes('mentioned');
        if (operand === 'resolved') return common.type === 'stream' && String(common.subject).startsWith('✔ ');
        return true;
      default:
        return false;
    }
  });
}

function findLockOutReason({ type, item }: SharedClientEvent, user: number): PollLockOutReason | undefined {
  if (item.t !== 'event') return undefined;
  const { op, person } = item.event as { op?: string; person?: { user_id: number } };
  if (type === 'realm' && op === 'deactivated') return 'ORGANIZATION_DEACTIVATED';
  return type === 'realm_user' && op === 'remove' && person?.user_id === user ? 'ACCOUNT_DEACTIVATED' : undefined;
}

/** True if the registration's snapshot already contains this message, or this change of a stream's subscribers. */
export function isEventInQueueSnapshot(
  { shows, listed = 0 }: EventQueueActorState,
  { id, type, item }: SharedClientEvent,
): boolean {
  if (item.t === 'event' && type === 'subscription' && logPositionOfEventId(id) <= listed)
    return isPeerSubscriptionOperation(item.event.op);
  if (!shows || item.t !== 'message') return false;
  const { common } = item.message as unknown as ClientNeutralMessage;
  return isMessageCountedInSnapshot(shows, (common.stream_id as number | undefined) ?? 0, common.id as number);
}

const isPeerSubscriptionOperation = (op: unknown): boolean => op === 'peer_add' || op === 'peer_remove';

/** True if the snapshot has counted this message. @param stream 0 = a direct message */
function isMessageCountedInSnapshot({ streams, direct }: SnapshotCountedMessages, stream: number, id: number): boolean {
  if (stream === 0) return id <= direct.upTo || direct.recent.includes(id);
  return id <= (streams[stream] ?? 0);
}

/** Undelivered events of one key become one event (events.md § Coalescing). Undefined: the event never coalesces. */
export function eventCoalescingKey({ type, item }: SharedClientEvent): string | undefined {
  if (type !== 'update_message_flags' || item.t !== 'event') return undefined;
  const verdict = judgeFlagEvent(item.event);
  return verdict.kind === 'coalesce' ? verdict.key : undefined;
}

/** Cache of the verdicts on changes of message flags. The cache stays small, as there are few flags. */
const flagEventVerdictCache = new Map<string, EventFilterVerdict>();

function judgeFlagEvent({ op, flag, all }: JsonObject): EventFilterVerdict {
  const key = `${op} ${flag}`;
  const isAlone = all === true || (op === 'remove' && flag === 'read');
  const name = isAlone ? `${key} alone` : key;
  let verdict = flagEventVerdictCache.get(name);
  if (!verdict) {
    const reverts = `${op === 'add' ? 'remove' : 'add'} ${flag}`;
    verdict = isAlone ? { kind: 'append', reverts } : { kind: 'coalesce', key, reverts };
    flagEventVerdictCache.set(name, verdict);
  }
  return verdict;
}
