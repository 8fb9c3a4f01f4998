/** Persisted state of a push actor. Each waiting push is a part, deleted when it was sent. */
import type { JsonObject } from '#base';
import { correctTimeFromAhead } from '#base/clock';
import { ActorPartAccessor, type ActorParts } from '#model';

export interface PushActorState extends JsonObject {
  /** Number of the last push that was queued. */
  readonly last: number;
  /** Messages that were pushed and may be on screens, oldest first. */
  readonly shown: readonly number[];
}

/** A push that waits to be sent. */
export interface WaitingPush extends JsonObject {
  readonly number: number;
  /** remove: the notifications of these messages are to go. */
  readonly event: 'message' | 'remove';
  readonly messages: readonly number[];
  /** Reason of the push: direct, mention, wildcard_mention, alert_word, followed_topic or stream; '' for a removal. */
  readonly trigger: string;
  /** Receivers that did not get it yet; null: it was not tried yet, so every receiver of that moment gets it. */
  readonly left: readonly string[] | null;
  /** Wall time at which it was queued, ms. */
  readonly since: number;
  /** Number of failed attempts so far. */
  readonly tries: number;
  /** Wall time of the next attempt, ms. */
  readonly next: number;
}

/** Waiting pushes by number. */
export const WAITING_PUSH_TABLE = new ActorPartAccessor<WaitingPush>('push/');

/** Maximum number of messages in `shown`; the notification of an older one is no longer taken away. */
const MAX_REMEMBERED_SHOWN_MESSAGES = 200;

/** Maximum pause before the next attempt, ms. */
export const MAX_PUSH_RETRY_PAUSE_MS = 3_600_000;

/**
 * Waiting pushes, oldest first. A push whose next attempt is later than any pause gives was tried while the clock was
 * ahead, and is due now.
 */
export const listWaitingPushes = (parts: ActorParts, now: number): WaitingPush[] =>
  [...WAITING_PUSH_TABLE.values(parts)]
    .map((push) => ({ ...push, next: correctTimeFromAhead(push.next, MAX_PUSH_RETRY_PAUSE_MS, now) }))
    .sort((a, b) => a.number - b.number);

/** Earliest time at which a waiting push is due, wall time, ms; null: none waits. */
export function earliestDueTimeOfPushes(pushes: Iterable<WaitingPush>): number | null {
  let first: number | null = null;
  for (const { next } of pushes) if (first === null || next < first) first = next;
  return first;
}

/** @param added messages with a notification from now on @param gone messages without one */
export function withUpdatedShownMessages(
  state: PushActorState,
  added: readonly number[],
  gone: readonly number[],
): PushActorState {
  if (added.length === 0 && !gone.some((id) => state.shown.includes(id))) return state;
  const shown = [...new Set([...state.shown, ...added])].filter((id) => !gone.includes(id));
  return { ...state, shown: shown.slice(-MAX_REMEMBERED_SHOWN_MESSAGES) };
}
