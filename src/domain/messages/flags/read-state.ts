/**
 * Read and marked messages of one user (architecture/domain.md § Read state). The functions have no side effects.
 *
 * Each origin (the stream to which a message was sent, or all direct messages) has a mark and two sets of exceptions.
 * So moving a message changes nothing here, and marking a stream read is one small write for any number of messages.
 */

import { IdSet, type Json, type JsonObject, memoizeByObject } from '#base';
import type { ActorParts } from '#model';
import type { ReadableMessage } from '../access/message-access.js';
import { MESSAGE_CREATION_FLAG_BITS } from '../stored/digest.js';
import type { StoredMessage } from '../stored/message.js';
import { creationFlagBitsOfUser, hasWildcardMention } from '../stored/packed-view.js';

/** Read messages of one origin: up to `mark` all are read except `unread`; above it, only those in `read` are. */
export interface OriginReadState {
  readonly mark: number;
  readonly read: IdSet;
  readonly unread: IdSet;
}

export const READ_STATE_PART_PREFIX = 'read/';
/** The origin of all direct messages. */
export const DIRECT_MESSAGES_ORIGIN = 0;

/**
 * Sets of message ids, one part each. `starred` and `collapsed` are flags; `historical` are copies that the user made
 * of the history; `copied` are copies that a bot got by a mention in a stream to which it isn't subscribed.
 */
export const MESSAGE_MARK_NAMES = ['starred', 'collapsed', 'historical', 'copied'] as const;
export type MessageMarkName = (typeof MESSAGE_MARK_NAMES)[number];
/** Marks that are personal copies. */
const PERSONAL_COPY_MARK_NAMES = ['historical', 'copied'] as const satisfies readonly MessageMarkName[];
export type PersonalCopyMarkName = (typeof PERSONAL_COPY_MARK_NAMES)[number];
export const MESSAGE_MARK_PART_PREFIX = 'mark/';
/**
 * Part with the personal copies of messages that had been moved between streams before: message id → number of those
 * moves. Such a move may have taken a former copy; the moves after it decide whether the user still has this one.
 */
export const PERSONAL_COPIES_AFTER_MOVES_PART = `${MESSAGE_MARK_PART_PREFIX}after-moves`;

/** Parts of a user's actor that tell the user's personal copies. */
export const PERSONAL_COPY_PARTS: readonly string[] = [
  ...PERSONAL_COPY_MARK_NAMES.map((name) => `${MESSAGE_MARK_PART_PREFIX}${name}`),
  PERSONAL_COPIES_AFTER_MOVES_PART,
];

/** Number of a message's moves that came before the user's personal copy; undefined: the user has no such copy. */
export type PersonalCopyLookup = (id: number) => number | undefined;

export const NO_PERSONAL_COPY: PersonalCopyLookup = () => undefined;

const NOTHING_READ_IN_ORIGIN: OriginReadState = { mark: 0, read: IdSet.EMPTY, unread: IdSet.EMPTY };

/** The decoded read state of an origin; decoded once for each stored value. */
const decodeOriginReadStateCached = memoizeByObject(
  ({ mark, read, unread }: JsonObject): OriginReadState => ({
    mark: mark as number,
    read: IdSet.decode(read as Uint8Array),
    unread: IdSet.decode(unread as Uint8Array),
  }),
);
const decodeMarkedIdsCached = memoizeByObject(({ ids }: JsonObject) => IdSet.decode(ids as Uint8Array));

export function decodeOriginReadState(parts: ActorParts, origin: number): OriginReadState {
  const stored = parts.get(`${READ_STATE_PART_PREFIX}${origin}`) as JsonObject | undefined;
  return stored ? decodeOriginReadStateCached(stored) : NOTHING_READ_IN_ORIGIN;
}

export const encodeOriginReadStatePart = (
  origin: number,
  { mark, read, unread }: OriginReadState,
): Record<string, Json> => makeOriginReadStatePart(origin, mark, read.idsAbove(mark).encode(), unread.encode());

/** Makes the part of an origin from sets in their stored form. @param read ids above the mark */
export const makeOriginReadStatePart = (
  origin: number,
  mark: number,
  read: Uint8Array,
  unread: Uint8Array,
): Record<string, Json> => ({ [`${READ_STATE_PART_PREFIX}${origin}`]: { mark, read, unread } });

export function decodeMarkedMessageIds(parts: ActorParts, name: MessageMarkName): IdSet {
  const stored = parts.get(`${MESSAGE_MARK_PART_PREFIX}${name}`) as JsonObject | undefined;
  return stored ? decodeMarkedIdsCached(stored) : IdSet.EMPTY;
}

export const encodeMarkedMessageIdsPart = (name: MessageMarkName, ids: IdSet): Record<string, Json> =>
  makeMarkedMessageIdsPart(name, ids.encode());

/** Makes the part of a mark from a set in its stored form. */
export const makeMarkedMessageIdsPart = (name: MessageMarkName, ids: Uint8Array): Record<string, Json> => ({
  [`${MESSAGE_MARK_PART_PREFIX}${name}`]: ids.length === 0 ? null : { ids },
});

/** True if a message is read, by the mark or the sets. Undefined if neither decides: then the flags at creation do. */
export function isReadByMarkOrExceptions({ mark, read, unread }: OriginReadState, id: number): boolean | undefined {
  if (unread.has(id)) return false;
  return id <= mark || read.has(id) ? true : undefined;
}

/** Flags of a message that the user has no copy of. */
const FLAGS_WITHOUT_COPY: readonly string[] = ['read', 'historical'];

/** Message flags in the order of the API; the n-th flag is bit n of a flag mask. */
const MESSAGE_FLAGS_BY_BIT = [
  'read',
  'starred',
  'collapsed',
  'mentioned',
  'wildcard_mentioned',
  'has_alert_word',
  'historical',
];
const cachedFlagListsByBitSum: (readonly string[] | undefined)[] = [];

function flagListOfBitSum(sum: number): readonly string[] {
  let list = cachedFlagListsByBitSum[sum];
  if (!list) {
    list = MESSAGE_FLAGS_BY_BIT.filter((_, i) => (sum & (1 << i)) !== 0);
    cachedFlagListsByBitSum[sum] = list;
  }
  return list;
}

/** A user's flags on messages, from the parts of the user's actor. */
export class UserMessageFlagsView {
  constructor(
    readonly user: number,
    private readonly parts: ActorParts,
  ) {}

  readStateOf(origin: number): OriginReadState {
    return decodeOriginReadState(this.parts, origin);
  }

  /** Origins of messages that the user read, or marked as unread. */
  originsWithReadState(): readonly number[] {
    return [...this.parts.keys()]
      .filter((name) => name.startsWith(READ_STATE_PART_PREFIX))
      .map((name) => Number(name.slice(READ_STATE_PART_PREFIX.length)));
  }

  /** Ids of messages that are unread although below the mark of their origin; of all origins, ascending. */
  allUnreadExceptionIds(): readonly number[] {
    return IdSet.fromIds(this.originsWithReadState().flatMap((origin) => this.readStateOf(origin).unread.ids)).ids;
  }

  /** Ids of messages that the user marked as read, unread or starred one by one. */
  *individuallyMarkedIds(): Iterable<number> {
    for (const origin of this.originsWithReadState()) {
      const { read, unread } = this.readStateOf(origin);
      yield* read.ids;
      yield* unread.ids;
    }
    yield* this.markedIds('starred').ids;
  }

  markedIds(name: MessageMarkName): IdSet {
    return decodeMarkedMessageIds(this.parts, name);
  }

  /** Makes the function that finds a user's personal copy of a message. */
  makePersonalCopyLookup(): PersonalCopyLookup {
    const sets = PERSONAL_COPY_MARK_NAMES.map((name) => this.markedIds(name)).filter(({ size }) => size > 0);
    if (sets.length === 0) return NO_PERSONAL_COPY;
    const afterMoves = this.personalCopiesAfterMoves();
    return (id) => (sets.some((set) => set.has(id)) ? (afterMoves[id] ?? 0) : undefined);
  }

  /** Number of moves of a message before the user's personal copy; undefined: the user has no such copy. */
  movesBeforePersonalCopy(id: number): number | undefined {
    return this.makePersonalCopyLookup()(id);
  }

  /** Ids of the messages with a personal copy of the user. */
  personalCopyIds(): ReadonlySet<number> {
    return new Set(PERSONAL_COPY_MARK_NAMES.flatMap((name) => this.markedIds(name).ids));
  }

  /** Number of moves before each personal copy that was made after a move, by message id. */
  personalCopiesAfterMoves(): Readonly<Record<string, number>> {
    return (this.parts.get(PERSONAL_COPIES_AFTER_MOVES_PART) ?? {}) as Record<string, number>;
  }

  #isHistorical(id: number): boolean {
    return this.markedIds('historical').has(id);
  }

  isRead({ message, copy, gained }: ReadableMessage): boolean {
    return !copy || this.#isCopyRead(message, gained);
  }

  /** The user's flags on one message, in the order of the API. */
  flagsOf(own: ReadableMessage): readonly string[] {
    return this.makeFlagLister()(own);
  }

  /** Like `flagsOf`, but for many messages: decodes each set once. Equal lists of flags are the same array. */
  makeFlagLister(): (own: ReadableMessage) => readonly string[] {
    const starred = this.markedIds('starred');
    const collapsed = this.markedIds('collapsed');
    const historical = this.markedIds('historical');
    const readings = new Map<number, OriginReadState>();
    let lastOrigin = -1;
    let lastReading = NOTHING_READ_IN_ORIGIN;
    return ({ message, copy, gained }) => {
      if (!copy) return FLAGS_WITHOUT_COPY;
      const { id, originStream } = message;
      const sent = creationFlagBitsOfUser(message, this.user);
      const isHistorical = historical.has(id);
      if (originStream !== lastOrigin) {
        lastOrigin = originStream;
        lastReading = readings.get(originStream) ?? this.readStateOf(originStream);
        readings.set(originStream, lastReading);
      }
      let sum = 0;
      if (
        isReadByMarkOrExceptions(lastReading, id) ??
        (gained || isHistorical || (sent & MESSAGE_CREATION_FLAG_BITS.read) !== 0)
      )
        sum |= 1;
      if (starred.has(id)) sum |= 2;
      if (collapsed.has(id)) sum |= 4;
      if ((sent & MESSAGE_CREATION_FLAG_BITS.mentioned) !== 0) sum |= 8;
      if (hasWildcardMention(message) || (sent & MESSAGE_CREATION_FLAG_BITS.wildcard_mentioned) !== 0) sum |= 16;
      if ((sent & MESSAGE_CREATION_FLAG_BITS.has_alert_word) !== 0) sum |= 32;
      if (isHistorical) sum |= 64;
      return flagListOfBitSum(sum);
    };
  }

  #isCopyRead(message: StoredMessage, gained: boolean): boolean {
    const explicit = isReadByMarkOrExceptions(this.readStateOf(message.originStream), message.id);
    return (
      explicit ??
      (gained ||
        this.#isHistorical(message.id) ||
        (creationFlagBitsOfUser(message, this.user) & MESSAGE_CREATION_FLAG_BITS.read) !== 0)
    );
  }
}
