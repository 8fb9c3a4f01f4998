/**
 * Keeps the read state small. Messages that a user reads one by one are stored as single ids above the mark of their
 * origin stream. When there are many, the mark is raised above them, and the unread ids below
 * the new mark are stored as exceptions.
 */

import {
  DIRECT_MESSAGES_ORIGIN,
  isReadByMarkOrExceptions,
  type OriginReadState,
  UnreadMessageScan,
  type UserMessageFlagsView,
} from '#domain/messages';
import type { RealmId } from '#model';
import type { ActorInputSources } from '../../services.js';
import { readNewestDirectMessageIds } from './newest.js';

/** Number of ids above an origin's mark that were read one by one, from which a higher mark is tried. */
const MIN_SINGLE_READ_IDS_TO_COMPACT = 512;

/** Result of compacting the read state of an origin stream: a higher mark, and the unread ids below it. */
export interface ReadStateCompaction {
  readonly originStreamId: number;
  readonly raisedMark: number;
  readonly unreadIdsBelowMark: readonly number[];
}

/**
 * Computes the higher mark of an origin.
 *
 * @returns undefined if few ids are stored above the mark, or if a higher mark would not make the state smaller
 */
export async function computeReadStateCompaction(
  realm: RealmId,
  flags: UserMessageFlagsView,
  originStreamId: number,
  sources: ActorInputSources,
): Promise<ReadStateCompaction | undefined> {
  const reading = flags.readStateOf(originStreamId);
  if (reading.read.size < MIN_SINGLE_READ_IDS_TO_COMPACT) return undefined;
  const last = reading.read.largestId ?? 0;
  const upTo =
    originStreamId === DIRECT_MESSAGES_ORIGIN
      ? Math.min(last, (await readNewestDirectMessageIds(realm, flags.user, sources)).storeCompleteUpToId)
      : last;
  if (upTo <= reading.mark) return undefined;
  const unread: number[] = [];
  for await (const batch of new UnreadMessageScan(sources.store, realm, flags.user).scanUnreadAboveMark(
    originStreamId,
    reading,
    upTo,
  )) {
    unread.push(...batch.map(({ id }) => id));
    if (unread.length > reading.read.size) return undefined;
  }
  return { originStreamId, raisedMark: upTo, unreadIdsBelowMark: unread };
}

export function makeCompactedReadState(
  reading: OriginReadState,
  { raisedMark, unreadIdsBelowMark }: ReadStateCompaction,
): OriginReadState {
  if (raisedMark <= reading.mark) return reading;
  return {
    mark: raisedMark,
    read: reading.read.idsAbove(raisedMark),
    // Messages that were read since `computeReadStateCompaction` stay read.
    unread: reading.unread.withIds(unreadIdsBelowMark.filter((id) => isReadByMarkOrExceptions(reading, id) !== true)),
  };
}
