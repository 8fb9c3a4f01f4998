/** Persisted state of a presence actor: times of many users in one part, so that a flush writes few of them. */
import type { Json, JsonObject } from '#base';
import type { PresenceTimes } from '#domain/presence';

export interface PresenceState extends JsonObject {
  /** There is a root: the first report of all made one. */
  readonly made: boolean;
}

export const SEEN_PART = 'seen/';
/** Users of one part. Their times are some 30 bytes each. */
const USERS_PER_PART = 256;

export const bucketOf = (user: number): number => Math.floor(user / USERS_PER_PART);
export const partOf = (bucket: number): string => `${SEEN_PART}${bucket}`;

/** As it is stored: user, last active (0 = never), last connected. */
type Stored = readonly (readonly [number, number, number])[];

export const encodeTimes = (of: Iterable<readonly [number, PresenceTimes]>): Json =>
  [...of].map(([user, { active, connected }]) => [user, active ?? 0, connected]) satisfies Stored;

export function* decodeTimes(value: Json): Iterable<readonly [number, PresenceTimes]> {
  for (const [user, active, connected] of value as Stored) yield [user, { active: active || null, connected }];
}
