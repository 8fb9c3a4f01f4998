/** Persisted state of a user actor. Subscriptions are parts of their own. */

import type { Json, JsonObject } from '#base';
import type { Tutorial } from '#domain/people';
import type { Subscription } from '#domain/streams';
import { type ActorKey, parseKey, type UserId, userId } from '#model';

export interface UserState extends JsonObject {
  readonly phase: string;
  /** scrypt, or null: cannot log in with a password. */
  readonly passwordHash: string | null;
  /** Times of failed attempts at the password, ms; absent: none lately. */
  readonly failedLogins?: readonly number[];
  /** API key, encrypted under the server secret. */
  readonly keySealed: string;
  /** Highest id ever given to a draft; absent before the first. */
  readonly lastDraft?: number;
  /** When the owner of this bot was told last that its messages reach nobody, ms. */
  readonly warned?: number;
  /** Characters of all keys and values in its storage; absent before the first. */
  readonly storage?: number;
  /** Highest id ever given to a scheduled message; absent before the first. */
  readonly lastScheduled?: number;
  /** Absent: nothing seen yet. */
  readonly tutorial?: Tutorial & JsonObject;
}

/** The user whose actor has this key. */
export const selfOf = (key: ActorKey): UserId => userId(Number(parseKey(key).rest));

/** First ids of users are this far apart: the id of another's draft is hardly ever one of one's own. */
const ID_DISTANCE = 4_096;
/** Ids in paths end at 2^32. */
const ID_RANGES = 2 ** 19;

/** Next id of what one user has. @param last highest id given so far */
export const nextOwnId = (last: number | undefined, self: UserId): number =>
  (last ?? (self % ID_RANGES) * ID_DISTANCE) + 1;

export const SUBSCRIPTION_PART = 'sub/';

/** One that nothing was chosen for. */
export const freshSubscription = (stream: number, color: string): Subscription => ({
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

type Parts = ReadonlyMap<string, Json>;

export const subscriptionOf = (parts: Parts, stream: number): Subscription | undefined =>
  parts.get(`${SUBSCRIPTION_PART}${stream}`) as unknown as Subscription | undefined;

/** Present and former subscriptions, in no particular order. */
export const subscriptionsOf = (parts: Parts): Subscription[] =>
  [...parts]
    .filter(([name]) => name.startsWith(SUBSCRIPTION_PART))
    .map(([, value]) => value as unknown as Subscription);

export const isSubscribed = (parts: Parts, stream: number): boolean => subscriptionOf(parts, stream)?.active ?? false;
