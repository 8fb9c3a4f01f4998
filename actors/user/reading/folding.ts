/**
 * Keeps what a user has read one by one small: once a home has many such ids, its mark is raised over them, and what is
 * unread below becomes an exception.
 */

import type { HomeReading, OwnFlags } from '#domain/messages';
import { DIRECT_HOME, markedRead, UnreadScan } from '#domain/messages';
import type { RealmId } from '#model';
import type { InputSources } from '../../services.js';
import { newestDirect } from './newest.js';

/** So many ids read one by one are worth a look. */
const MIN_TO_FOLD = 512;

/** Up to where the mark can be raised, and what is unread up to there. */
export interface Fold {
  readonly home: number;
  readonly upTo: number;
  readonly unread: readonly number[];
}

/** Undefined: the home is small, or raising its mark would make it no smaller. */
export async function foldOf(
  realm: RealmId,
  flags: OwnFlags,
  home: number,
  sources: InputSources,
): Promise<Fold | undefined> {
  const reading = flags.reading(home);
  if (reading.read.size < MIN_TO_FOLD) return undefined;
  const last = reading.read.last ?? 0;
  const upTo = home === DIRECT_HOME ? Math.min(last, (await newestDirect(realm, flags.user, sources)).settled) : last;
  if (upTo <= reading.mark) return undefined;
  const unread: number[] = [];
  for await (const batch of new UnreadScan(sources.store, realm, flags.user).above(home, reading, upTo)) {
    unread.push(...batch.map(({ id }) => id));
    if (unread.length > reading.read.size) return undefined;
  }
  return { home, upTo, unread };
}

export function folded(reading: HomeReading, { upTo, unread }: Fold): HomeReading {
  if (upTo <= reading.mark) return reading;
  return {
    mark: upTo,
    read: reading.read.above(upTo),
    // What was read since the look stays read.
    unread: reading.unread.with(unread.filter((id) => markedRead(reading, id) !== true)),
  };
}
