/**
 * Keeps the read state small. Messages that a user reads one by one are stored as single ids above the mark of their
 * origin stream ("home" in stored states). When there are many, the mark is raised above them, and the unread ids below
 * the new mark are stored as exceptions.
 */

import { DIRECT_ORIGIN, isMarkedRead, type OriginReadState, UnreadScan, type UserFlags } from '#domain/messages';
import type { RealmId } from '#model';
import type { InputSources } from '../../services.js';
import { readNewestDirect } from './newest.js';

/** Number of ids above an origin's mark that were read one by one, from which a higher mark is tried. */
const MIN_TO_FOLD = 512;

/** Result of a fold: the higher mark of an origin stream, and the unread ids below it. */
export interface ReadStateFold {
  readonly home: number;
  readonly upTo: number;
  readonly unread: readonly number[];
}

/**
 * Computes the higher mark of an origin.
 *
 * @returns undefined if few ids are stored above the mark, or if a higher mark would not make the state smaller
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
