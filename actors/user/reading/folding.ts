/**
 * Keeps the set of singly read ids small. Once an origin stream ("home" in stored states) has many of them, its mark is
 * raised over them, and the unread ids below the mark become exceptions.
 */

import { DIRECT_ORIGIN, isMarkedRead, type OriginReadState, UnreadScan, type UserFlags } from '#domain/messages';
import type { RealmId } from '#model';
import type { InputSources } from '../../services.js';
import { readNewestDirect } from './newest.js';

/** Number of singly read ids of an origin from which folding is tried. */
const MIN_TO_FOLD = 512;

/** A fold: the new mark of an origin, and the unread ids up to there. */
export interface ReadStateFold {
  readonly home: number;
  readonly upTo: number;
  readonly unread: readonly number[];
}

/**
 * Computes the fold of an origin; undefined if the origin has few ids, or if a higher mark would not make it smaller.
 */
export async function computeFold(
  realm: RealmId,
  flags: UserFlags,
  home: number,
  sources: InputSources,
): Promise<ReadStateFold | undefined> {
  const reading = flags.reading(home);
  if (reading.read.size < MIN_TO_FOLD) return undefined;
  const last = reading.read.last ?? 0;
  const upTo =
    home === DIRECT_ORIGIN ? Math.min(last, (await readNewestDirect(realm, flags.user, sources)).settled) : last;
  if (upTo <= reading.mark) return undefined;
  const unread: number[] = [];
  for await (const batch of new UnreadScan(sources.store, realm, flags.user).above(home, reading, upTo)) {
    unread.push(...batch.map(({ id }) => id));
    if (unread.length > reading.read.size) return undefined;
  }
  return { home, upTo, unread };
}

export function applyFold(reading: OriginReadState, { upTo, unread }: ReadStateFold): OriginReadState {
  if (upTo <= reading.mark) return reading;
  return {
    mark: upTo,
    read: reading.read.above(upTo),
    // Messages that were read since `computeFold` stay read.
    unread: reading.unread.with(unread.filter((id) => isMarkedRead(reading, id) !== true)),
  };
}
