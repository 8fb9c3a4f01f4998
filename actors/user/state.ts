/** Persisted state of a user actor. Subscriptions are parts of their own. */
import { type ActorKey, type Json, type JsonObject, parseKey, type UserId, userId } from '../../src/core/index.js';
import type { Subscription } from '../../src/streams/index.js';

export interface UserState extends JsonObject {
  readonly phase: string;
  /** scrypt, or null: cannot log in with a password. */
  readonly passwordHash: string | null;
  /** API key, encrypted under the server secret. */
  readonly keySealed: string;
}

export const SUBSCRIPTION_PART = 'sub/';

/** Whose actor this is. */
export const selfOf = (key: ActorKey): UserId => userId(Number(parseKey(key).rest));

type Parts = ReadonlyMap<string, Json>;

export const subscriptionOf = (parts: Parts, stream: number): Subscription | undefined =>
  parts.get(`${SUBSCRIPTION_PART}${stream}`) as unknown as Subscription | undefined;

/** Present and former subscriptions, in no particular order. */
export const subscriptionsOf = (parts: Parts): Subscription[] =>
  [...parts]
    .filter(([name]) => name.startsWith(SUBSCRIPTION_PART))
    .map(([, value]) => value as unknown as Subscription);

export const isSubscribed = (parts: Parts, stream: number): boolean => subscriptionOf(parts, stream)?.active ?? false;
