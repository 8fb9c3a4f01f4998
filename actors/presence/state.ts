/** Persisted state of a presence actor. A part holds the times of many users, so that a flush writes few parts. */
import type { Json, JsonObject } from '#base';
import type { PresenceTimes } from '#domain/presence';

export interface PresenceActorState extends JsonObject {
  /** True in every stored root: the first report makes the root. */
  readonly made: boolean;
}

export const PRESENCE_PART_PREFIX = 'seen/';
/** Number of users whose times share a part. The times of a user take some 30 bytes. */
const USERS_PER_PRESENCE_PART = 256;

export const presenceBucketOfUser = (user: number): number => Math.floor(user / USERS_PER_PRESENCE_PART);
export const presencePartName = (bucket: number): string => `${PRESENCE_PART_PREFIX}${bucket}`;

/** Stored form of a part: user, last active (0 = never), last connected; wall time, ms. */
type StoredPresenceTimesOfUsers = readonly (readonly [number, number, number])[];

export const encodePresencePart = (of: Iterable<readonly [number, PresenceTimes]>): Json =>
  [...of].map(([user, { active, connected }]) => [user, active ?? 0, connected]) satisfies StoredPresenceTimesOfUsers;

export function* decodePresencePart(value: Json): Iterable<readonly [number, PresenceTimes]> {
  for (const [user, active, connected] of value as StoredPresenceTimesOfUsers)
    yield [user, { active: active || null, connected }];
}
