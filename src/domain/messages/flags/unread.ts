/**
 * Finds a user's unread messages from the marks of the user's actor and the Store's indexes
 * (architecture/domain.md § Read state).
 */
import type { RealmId } from '#model';
import type { MessageIndexCondition, MessageIndexRange, MessageReadStore } from '#ports/store';
import {
  computeMessageCopyState,
  type ReadableMessage,
  streamIdsDecidingMessageCopies,
} from '../access/message-access.js';
import { CachedUserStreamMemberships } from '../access/viewer.js';
import { type StoredMessage, storeNameOfStreamConversation, toStoredMessage } from '../stored/message.js';
import { streamMovesOfMessage } from '../stored/packed-view.js';
import { messageIndexTags } from '../stored/record.js';
import {
  DIRECT_MESSAGES_ORIGIN,
  NO_PERSONAL_COPY,
  type OriginReadState,
  type PersonalCopyLookup,
} from './read-state.js';

const SCAN_BATCH_MESSAGES = 1_000;
/** Size of the first query for unread messages: these are mostly few, and among the newest. */
const FIRST_SCAN_BATCH_MESSAGES = 64;

const movedFromOriginIndex = (origin: number): MessageIndexCondition => ({
  by: 'moved',
  from: storeNameOfStreamConversation(origin),
});

/** Queries of the Store that find one user's unread messages. */
export class UnreadMessageScan {
  readonly #memberships: CachedUserStreamMemberships;

  constructor(
    private readonly store: MessageReadStore,
    private readonly realm: RealmId,
    private readonly user: number,
  ) {
    this.#memberships = new CachedUserStreamMemberships(store, realm, user);
  }

  /**
   * The user's unread messages of one origin, above its mark and up to `to`, in batches. The messages that are still in
   * the stream come first, ascending, then those that were moved away from it.
   */
  async *scanUnreadAboveMark(
    origin: number,
    reading: OriginReadState,
    to = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<StoredMessage[]> {
    yield* this.#scanUnreadAlongIndex(this.#indexOfMessagesStillInOrigin(origin), origin, reading, to);
    if (origin !== DIRECT_MESSAGES_ORIGIN) yield* this.scanUnreadMovedFrom(origin, reading, to);
  }

  /** The user's unread messages of an origin that were moved to other streams: a part of what `above` returns. */
  scanUnreadMovedFrom(
    origin: number,
    reading: OriginReadState,
    to = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<StoredMessage[]> {
    return this.#scanUnreadAlongIndex(movedFromOriginIndex(origin), origin, reading, to);
  }

  /**
   * The user's messages that were moved into the stream, read or unread, also those with a copy that the move brought.
   *
   * @param also further indexes that the messages must be in, such as a topic's
   */
  async *scanCopiesMovedTo(
    stream: number,
    made: PersonalCopyLookup,
    also: readonly MessageIndexCondition[] = [],
  ): AsyncGenerator<readonly ReadableMessage[]> {
    const tag: MessageIndexCondition = {
      by: 'tag',
      tag: messageIndexTags.cameTo(storeNameOfStreamConversation(stream)),
    };
    for await (const messages of this.#scanMessageBatches([{ index: tag, also }], { direction: 'newer' })) {
      const own = await this.#loadOwnCopies(messages, made);
      if (own.length > 0) yield own;
    }
  }

  /** The user's messages along one index, ascending, without copies that came with a move. */
  async *scanOriginalCopiesUpwards(
    index: MessageIndexCondition,
    from: number,
    made: PersonalCopyLookup = NO_PERSONAL_COPY,
  ): AsyncGenerator<StoredMessage[]> {
    for await (const messages of this.#scanCopiesUpwards(index, from, made)) {
      const own = messages.filter(({ gained }) => !gained).map(({ message }) => message);
      if (own.length > 0) yield own;
    }
  }

  /** True if the user has a copy, read or unread, of any message along one index. */
  async hasAnyCopy(index: MessageIndexCondition, made: PersonalCopyLookup): Promise<boolean> {
    for await (const _some of this.#scanCopiesUpwards(index, 0, made)) return true;
    return false;
  }

  async *#scanCopiesUpwards(
    index: MessageIndexCondition,
    from: number,
    made: PersonalCopyLookup,
  ): AsyncGenerator<readonly ReadableMessage[]> {
    for await (const messages of this.#scanMessageBatches([{ index }], { direction: 'newer', from })) {
      const own = await this.#loadOwnCopies(messages, made);
      if (own.length > 0) yield own;
    }
  }

  /**
   * Like `above`, but for several origins at once, newest message first.
   *
   * @param left further origins; their messages count if they were moved to other streams
   * @param seen called for every message, with or without a copy, above the mark of the stream where it is now
   */
  async *scanUnreadAboveMarksNewestFirst(
    origins: ReadonlyMap<number, OriginReadState>,
    left: ReadonlyMap<number, OriginReadState>,
    seen: (message: StoredMessage) => void,
  ): AsyncGenerator<StoredMessage[]> {
    const here = [...origins].map(
      ([origin, { mark }]): MessageIndexRange => ({ index: this.#indexOfMessagesStillInOrigin(origin), above: mark }),
    );
    const away = [...origins, ...left]
      .filter(([origin]) => origin !== DIRECT_MESSAGES_ORIGIN)
      .map(([origin, { mark }]): MessageIndexRange => ({ index: movedFromOriginIndex(origin), above: mark }));
    const ranges = [...here, ...away];
    for await (const messages of this.#scanMessageBatches(ranges, { direction: 'older' })) {
      for (const message of messages) {
        const reading = origins.get(message.body.stream);
        if (reading && message.id > reading.mark) seen(message);
      }
      const candidates = messages.filter((message) => {
        const reading = origins.get(message.originStream) ?? left.get(message.originStream);
        return (
          reading && message.id > reading.mark && this.#isUnreadBeforeCopyCheck(message, message.originStream, reading)
        );
      });
      const own = await this.filterMessagesWithCopies(candidates);
      if (own.length > 0) yield own;
    }
  }

  /** Index of the messages of an origin, except those that were moved away. */
  #indexOfMessagesStillInOrigin(origin: number): MessageIndexCondition {
    return origin === DIRECT_MESSAGES_ORIGIN
      ? { by: 'participant', user: this.user }
      : { by: 'conversation', conversation: storeNameOfStreamConversation(origin) };
  }

  #isUnreadBeforeCopyCheck(
    { id, originStream, body }: StoredMessage,
    origin: number,
    { read, unread }: OriginReadState,
  ): boolean {
    return originStream === origin && !read.has(id) && !unread.has(id) && !body.flags[this.user]?.includes('read');
  }

  async *#scanUnreadAlongIndex(
    index: MessageIndexCondition,
    origin: number,
    reading: OriginReadState,
    to: number,
  ): AsyncGenerator<StoredMessage[]> {
    for await (const messages of this.#scanMessageBatches([{ index }], { direction: 'newer', from: reading.mark })) {
      const inside = messages.filter(({ id }) => id <= to);
      const own = await this.filterMessagesWithCopies(
        inside.filter((message) => this.#isUnreadBeforeCopyCheck(message, origin, reading)),
      );
      if (own.length > 0) yield own;
      if (inside.length < messages.length) return;
    }
  }

  /** Messages of some ranges, in batches. @param from exclusive; default: the start of the ranges */
  async *#scanMessageBatches(
    ranges: readonly MessageIndexRange[],
    { direction, from }: { direction: 'newer' | 'older'; from?: number },
  ): AsyncGenerator<StoredMessage[]> {
    const [range, ...or] = ranges;
    if (!range) return;
    let at = from ?? (direction === 'newer' ? 0 : Number.MAX_SAFE_INTEGER);
    for (let limit = FIRST_SCAN_BATCH_MESSAGES; ; limit = SCAN_BATCH_MESSAGES) {
      const others = or.length === 0 ? {} : { or };
      const records = await this.store.scanMessages({
        ...range,
        ...others,
        realm: this.realm,
        from: at,
        direction,
        limit,
      });
      if (records.length > 0) yield records.map(toStoredMessage);
      if (records.length < limit) return;
      at = records.at(-1)!.id;
    }
  }

  /**
   * Messages that are unread although below the mark: the user marked them as unread, or they stayed unread when the
   * mark rose. A move to another stream may have taken the user's copy away; then the message is left out.
   *
   * @param ids exceptions of one origin or of all (`allUnreadExceptionIds`)
   */
  async loadMessagesUnreadBelowReadMark(ids: readonly number[], made: PersonalCopyLookup): Promise<StoredMessage[]> {
    if (ids.length === 0) return [];
    const records = await this.store.getMessages(this.realm, ids);
    const messages = records.filter((record) => record !== null).map(toStoredMessage);
    const moved = messages.filter((message) => streamMovesOfMessage(message).length > 0);
    if (moved.length === 0) return messages;
    const kept = new Set(await this.filterMessagesWithCopies(moved, made));
    return messages.filter((message) => kept.has(message) || streamMovesOfMessage(message).length === 0);
  }

  /** True if messages that were moved away from the origin are unread. */
  async hasUnreadExceptionsOrMovedUnread(origin: number, reading: OriginReadState): Promise<boolean> {
    if (reading.unread.size > 0) return true;
    for await (const _some of this.scanUnreadMovedFrom(origin, reading)) return true;
    return false;
  }

  /** Id of the newest message that was sent to the stream, even if moved since; 0 = none. */
  async newestIdEverSentTo(stream: number): Promise<number> {
    const conversation = storeNameOfStreamConversation(stream);
    const indexes: MessageIndexCondition[] = [
      { by: 'conversation', conversation },
      { by: 'moved', from: conversation },
    ];
    const newest = await Promise.all(
      indexes.map((index) =>
        this.store.scanMessages({
          realm: this.realm,
          index,
          from: Number.MAX_SAFE_INTEGER,
          direction: 'older',
          limit: 1,
        }),
      ),
    );
    return Math.max(0, ...newest.map(([record]) => record?.id ?? 0));
  }

  /**
   * Messages that the user has a copy of.
   *
   * @param made finds personal copies; given for messages that the user has marked one by one: copies that came
   *   with a move are kept, too
   */
  async filterMessagesWithCopies(
    messages: readonly StoredMessage[],
    made?: PersonalCopyLookup,
  ): Promise<StoredMessage[]> {
    const own = await this.#loadOwnCopies(messages, made ?? NO_PERSONAL_COPY);
    return own.filter(({ gained }) => made !== undefined || !gained).map(({ message }) => message);
  }

  /** Those of the messages that the user has a copy of. */
  async #loadOwnCopies(messages: readonly StoredMessage[], made: PersonalCopyLookup): Promise<ReadableMessage[]> {
    const streams = new Set<number>();
    for (const message of messages) for (const stream of streamIdsDecidingMessageCopies(message)) streams.add(stream);
    await this.#memberships.loadMissing([...streams]);
    return messages
      .map((message) => {
        const membership = this.#memberships.loadedMembershipOf;
        const { has, gained } = computeMessageCopyState(message, this.user, membership, made(message.id));
        return { message, copy: has, gained };
      })
      .filter(({ copy }) => copy);
  }
}
