/** Persisted state of a user actor, and the time of its one timer. Each subscription is a part. */

import type { Json, JsonObject } from '#base';
import { nextScheduledTime } from '#domain/messages';
import type { TutorialState } from '#domain/people';
import type { Subscription } from '#domain/streams';
import { type ActorKey, type ActorParts, PartTable, parseActorKey, type UserId, userId } from '#model';
import type { ArgsOf, Command } from '#model/commands';
import type { CommandDefinition } from '#runtime';
import type { ActorServices } from '../services.js';
import { nextFileExpiry } from './files.js';
import { nextMissedTime } from './missed.js';

export interface UserState extends JsonObject {
  readonly phase: string;
  /** scrypt hash of the password; null: no log-in with a password. */
  readonly passwordHash: string | null;
  /** Wall times of recent failed log-ins, ms; absent: none. */
  readonly failedLogins?: readonly number[];
  /** Devices from which the user has logged in, in words; absent: none. */
  readonly devices?: readonly string[];
  /** API key, encrypted under the server secret. */
  readonly keySealed: string;
  /** Highest id ever given to a draft; absent before the first. */
  readonly lastDraft?: number;
  /** Wall time of the last notice to this bot's owner that the bot's messages reach no subscriber, ms. */
  readonly warned?: number;
  /** Characters of all keys and values in the bot's storage; absent before the first. */
  readonly storage?: number;
  /** Highest id ever given to a scheduled message; absent before the first. */
  readonly lastScheduled?: number;
  /** Hints for new users that were seen; absent if none. */
  readonly tutorial?: TutorialState & JsonObject;
}

/** The user whose actor has this key. */
export const userIdOfKey = (key: ActorKey): UserId => userId(Number(parseActorKey(key).rest));

/**
 * Distance between the first ids that two users give to their drafts: an id of another user's draft is rarely an id of
 * one's own.
 */
const ID_DISTANCE = 4_096;
/** Number of users after which id ranges repeat, because ids in paths end at 2^32. */
const ID_RANGES = 2 ** 19;

/** Next id of a user's drafts or scheduled messages. @param last highest id given so far */
export const nextDraftOrScheduledId = (last: number | undefined, self: UserId): number =>
  (last ?? (self % ID_RANGES) * ID_DISTANCE) + 1;

export const SUBSCRIPTION_PART_PREFIX = 'sub/';
/** Parts with the user's subscriptions, by stream. */
const SUBSCRIPTIONS = new PartTable<Subscription>(SUBSCRIPTION_PART_PREFIX);

/** Makes a subscription with default properties. */
export const defaultSubscription = (stream: number, color: string): Subscription => ({
  stream,
  active: true,
  color,
  muted: false,
  pinned: false,
  desktop: null,
  audible: null,
  push: null,
  email: null,
  wildcard: null,
});

export const subscriptionOf = (parts: ActorParts, stream: number): Subscription | undefined =>
  SUBSCRIPTIONS.get(parts, stream);

/** Present and former subscriptions, in no particular order. */
export const subscriptionsOf = (parts: ActorParts): Subscription[] => [...SUBSCRIPTIONS.values(parts)];

export const isSubscribed = (parts: ActorParts, stream: number): boolean =>
  subscriptionOf(parts, stream)?.active ?? false;

/** Handler of a user command with these arguments. */
export type UserHandler<A extends JsonObject, I = undefined> = CommandDefinition<
  UserState,
  A,
  I,
  undefined,
  ActorServices
>;

/** Handler of a declared user command. */
export type UserCommand<C extends Command<'user'>, I = undefined> = UserHandler<ArgsOf<C>, I>;

/**
 * Time at which the user actor's timer must fire next for any part, ms; null: no part waits. Commands that change such
 * a part set `due` to this time.
 */
export function nextTimerTime(parts: ActorParts): number | null {
  const times = [nextScheduledTime(parts), nextFileExpiry(parts), nextMissedTime(parts)].filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** Applies changes to the parts of a user actor. @returns the changed parts as a new map */
export function applyPartChanges(parts: ActorParts, changed: Readonly<Record<string, Json>>): ActorParts {
  const next = new Map(parts);
  for (const [name, value] of Object.entries(changed)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  return next;
}
