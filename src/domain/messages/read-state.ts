/**
 * Read and marked messages of one user (architecture/domain.md § Read state). Pure.
 *
 * Each home (the stream to which a message was sent, or all direct messages) has a mark and two sets of exceptions. So
 * moving a message changes nothing here, and marking a stream read is one small write for any number of messages.
 */

import { IdSet, type Json, type JsonObject, madeOnce } from '#base';
import type { Parts } from '#model';
import { SENT } from './digest.js';
import type { OwnMessage } from './own-message.js';
import { isWildcard, sentFlags } from './seen.js';
import type { StoredMessage } from './stored.js';

/** Reading of one home: everything up to `mark` is read but for `unread`, everything above is not but for `read`. */
export interface HomeReading {
  readonly mark: number;
  readonly read: IdSet;
  readonly unread: IdSet;
}

export const READ_PART = 'read/';
/** Direct messages are one home. */
export const DIRECT_HOME = 0;

/**
 * Flags that users set on messages besides `read`, copies that they made of history, and those that bots got because they
 * were mentioned where they are not subscribed: one part each.
 */
export const MARKS = ['starred', 'collapsed', 'historical', 'copied'] as const;
export type MarkName = (typeof MARKS)[number];
export const MARK_PART = 'mark/';

const NOTHING_READ: HomeReading = { mark: 0, read: IdSet.EMPTY, unread: IdSet.EMPTY };

/** Decoded once for each stored value. */
const readingIn = madeOnce(
  ({ mark, read, unread }: JsonObject): HomeReading => ({
    mark: mark as number,
    read: IdSet.decode(read as Uint8Array),
    unread: IdSet.decode(unread as Uint8Array),
  }),
);
const markedIn = madeOnce(({ ids }: JsonObject) => IdSet.decode(ids as Uint8Array));

export function readingOf(parts: Parts, home: number): HomeReading {
  const stored = parts.get(`${READ_PART}${home}`) as JsonObject | undefined;
  return stored ? readingIn(stored) : NOTHING_READ;
}

export function readingPart(home: number, { mark, read, unread }: HomeReading): Record<string, Json> {
  return { [`${READ_PART}${home}`]: { mark, read: read.above(mark).encode(), unread: unread.encode() } };
}

export function markedOf(parts: Parts, name: MarkName): IdSet {
  const stored = parts.get(`${MARK_PART}${name}`) as JsonObject | undefined;
  return stored ? markedIn(stored) : IdSet.EMPTY;
}

export const markedPart = (name: MarkName, ids: IdSet): Record<string, Json> => ({
  [`${MARK_PART}${name}`]: ids.size === 0 ? null : { ids: ids.encode() },
});

/** Explicitly read or unread; undefined where the message itself says it (read when it was sent). */
export function markedRead({ mark, read, unread }: HomeReading, id: number): boolean | undefined {
  if (unread.has(id)) return false;
  return id <= mark || read.has(id) ? true : undefined;
}

/** Of what somebody has no copy of. */
const HISTORY: readonly string[] = ['read', 'historical'];

/** In the order in which they are listed, each twice what the one before counts. */
const LISTED = ['read', 'starred', 'collapsed', 'mentioned', 'wildcard_mentioned', 'has_alert_word', 'historical'];
const lists: (readonly string[] | undefined)[] = [];

function listOf(sum: number): readonly string[] {
  let list = lists[sum];
  if (!list) {
    list = LISTED.filter((_, i) => (sum & (1 << i)) !== 0);
    lists[sum] = list;
  }
  return list;
}

/** A user's flags, from the parts of the user's actor. */
export class OwnFlags {
  constructor(
    readonly user: number,
    private readonly parts: Parts,
  ) {}

  reading(home: number): HomeReading {
    return readingOf(this.parts, home);
  }

  /** Ids that are explicitly unread, in all homes; ascending. */
  exceptions(): readonly number[] {
    const all = [...this.parts.keys()]
      .filter((name) => name.startsWith(READ_PART))
      .flatMap((name) => this.reading(Number(name.slice(READ_PART.length))).unread.ids);
    return IdSet.of(all).ids;
  }

  /** Ids of messages that were read, not read or starred one by one. */
  *named(): Iterable<number> {
    for (const name of this.parts.keys()) {
      if (!name.startsWith(READ_PART)) continue;
      const { read, unread } = this.reading(Number(name.slice(READ_PART.length)));
      yield* read.ids;
      yield* unread.ids;
    }
    yield* this.marked('starred').ids;
  }

  marked(name: MarkName): IdSet {
    return markedOf(this.parts, name);
  }

  /** Tells of a message that was none of the user's whether he has a copy of it nevertheless. */
  copiesMade(): (id: number) => boolean {
    const historical = this.marked('historical');
    const copied = this.marked('copied');
    return (id) => historical.has(id) || copied.has(id);
  }

  madeCopy(id: number): boolean {
    return this.copiesMade()(id);
  }

  #isHistorical(id: number): boolean {
    return this.marked('historical').has(id);
  }

  isRead({ message, copy, gained }: OwnMessage): boolean {
    return !copy || this.#read(message, gained);
  }

  /** In the order in which flags are listed. */
  of(own: OwnMessage): readonly string[] {
    return this.each()(own);
  }

  /** The same of many messages, each set looked up once. Equal lists are the same one. */
  each(): (own: OwnMessage) => readonly string[] {
    const starred = this.marked('starred');
    const collapsed = this.marked('collapsed');
    const historical = this.marked('historical');
    const readings = new Map<number, HomeReading>();
    return ({ message, copy, gained }) => {
      if (!copy) return HISTORY;
      const { id, home } = message;
      const sent = sentFlags(message, this.user);
      const isHistorical = historical.has(id);
      let reading = readings.get(home);
      if (!reading) {
        reading = this.reading(home);
        readings.set(home, reading);
      }
      let sum = 0;
      if (markedRead(reading, id) ?? (gained || isHistorical || (sent & SENT.read) !== 0)) sum |= 1;
      if (starred.has(id)) sum |= 2;
      if (collapsed.has(id)) sum |= 4;
      if ((sent & SENT.mentioned) !== 0) sum |= 8;
      if (isWildcard(message)) sum |= 16;
      if ((sent & SENT.has_alert_word) !== 0) sum |= 32;
      if (isHistorical) sum |= 64;
      return listOf(sum);
    };
  }

  #read(message: StoredMessage, gained: boolean): boolean {
    const explicit = markedRead(this.reading(message.home), message.id);
    return explicit ?? (gained || this.#isHistorical(message.id) || (sentFlags(message, this.user) & SENT.read) !== 0);
  }
}
