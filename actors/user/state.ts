/** Persisted state of a user actor, and the time of its one timer. Each subscription is a part. */

import type { Json, JsonObject } from '#base';
import { nextScheduledHandOverTimeMs } from '#domain/messages';
import type { TutorialState } from '#domain/people';
import type { Subscription } from '#domain/streams';
import { type ActorKey, ActorPartAccessor, type ActorParts, parseActorKey, toUserId, type UserId } from '#model';
import type { ActorCommandName, ArgsOfCommand } from '#model/commands';
import type { CommandDefinition } from '#runtime';
import type { ActorServices } from '../services.js';
import { nextFileExpiryTime } from './files.js';
import { findNextMissedMailTime } from './missed.js';
import { findNextDigestTime } from './weekly-digest.js';

export interface UserActorState extends JsonObject {
  readonly phase: string;
  /** scrypt hash of the password; null: no log-in with a password. */
  readonly passwordHash: string | null;
  /** Wall times of recent failed log-ins, ms; absent: none. */
  readonly failedLogins?: readonly number[];
  /** Devices (program and system in words) from which the user has logged in; absent if there are none. */
  readonly devices?: readonly string[];
  /** API key, encrypted under the server secret. */
  readonly keySealed: string;
  /** Highest id ever given to a draft; absent before the first. */
  readonly lastDraft?: number;
  /** Highest id ever given to a saved snippet; absent before the first. */
  readonly lastSnippet?: number;
  /** Wall time of the last notice to this bot's owner that the bot's messages reach no subscriber, ms. */
  readonly warned?: number;
  /** Characters of all keys and values in the bot's storage; absent before the first. */
  readonly storage?: number;
  /** Highest id ever given to a scheduled message; absent before the first. */
  readonly lastScheduled?: number;
  /** Wall time until which scheduled messages that come days late wait, because the clock may be ahead, ms. */
  readonly lateScheduledHeldUntil?: number;
  /** Hints for new users that were seen; absent if none. */
  readonly tutorial?: TutorialState & JsonObject;
  /** Messages whose notifications may be on devices, oldest first: [id, stream to which it was sent (0: none)]. */
  readonly pushed?: readonly (readonly [id: number, origin: number])[];
}

/** The user whose actor has this key. */
export const userIdOfUserActorKey = (key: ActorKey): UserId => toUserId(Number(parseActorKey(key).idWithinRealm));

/**
 * Distance between the first ids that two users give to their drafts: an id of another user's draft is rarely an id of
 * one's own.
 */
const FIRST_ID_DISTANCE_BETWEEN_USERS = 4_096;
/** Number of users after which id ranges repeat, because ids in paths end at 2^32. */
const USER_ID_RANGE_COUNT = 2 ** 19;

/**
 * Returns the next id of a user's drafts, saved snippets or scheduled messages.
 * @param last highest id given until now
 */
export const nextPersonalItemId = (last: number | undefined, self: UserId): number =>
  (last ?? (self % USER_ID_RANGE_COUNT) * FIRST_ID_DISTANCE_BETWEEN_USERS) + 1;

export const SUBSCRIPTION_PART_PREFIX = 'sub/';
/** Parts with the user's subscriptions, by stream. */
const SUBSCRIPTION_TABLE = new ActorPartAccessor<Subscription>(SUBSCRIPTION_PART_PREFIX);

export const findPresentOrFormerSubscription = (parts: ActorParts, stream: number): Subscription | undefined =>
  SUBSCRIPTION_TABLE.findPartValue(parts, stream);

/** Present and former subscriptions, in no particular order. */
export const listPresentAndFormerSubscriptions = (parts: ActorParts): Subscription[] => [
  ...SUBSCRIPTION_TABLE.values(parts),
];

export const isSubscribedToStream = (parts: ActorParts, stream: number): boolean =>
  findPresentOrFormerSubscription(parts, stream)?.active ?? false;

/** Handler of a user command with these arguments. */
export type UserActorHandler<A extends JsonObject, I = undefined> = CommandDefinition<
  UserActorState,
  A,
  I,
  undefined,
  ActorServices
>;

/** Handler of a declared user command. */
export type UserCommandHandler<C extends ActorCommandName<'user'>, I = undefined> = UserActorHandler<
  ArgsOfCommand<C>,
  I
>;

/**
 * Time at which the user actor's timer must fire next for any part, ms; null: no part waits. Commands that change such
 * a part set `due` to this time.
 * @param scheduledHeldUntil time before which no scheduled message is sent, ms
 */
export function nextUserTimerTime(parts: ActorParts, scheduledHeldUntil = 0): number | null {
  const handOver = nextScheduledHandOverTimeMs(parts);
  const times = [
    handOver && Math.max(handOver, scheduledHeldUntil),
    nextFileExpiryTime(parts),
    findNextMissedMailTime(parts),
    findNextDigestTime(parts),
  ].filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** Applies changes to the parts of a user actor. @returns the changed parts as a new map */
export function partsWithChanges(parts: ActorParts, changed: Readonly<Record<string, Json>>): ActorParts {
  const next = new Map(parts);
  for (const [name, value] of Object.entries(changed)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return next;
}
