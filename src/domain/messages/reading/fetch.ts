/** GET /messages: messages around an anchor that the caller may read (narrow.md § Anchors and windows). */

import { filterInSlices, mapInSlices } from '#base';
import { mayReadStreamHistory } from '#domain/streams';
import type { MessageIndexRange, MessageScan, Store } from '#ports/store';
import {
  computeMessageCopyState,
  type MessageCopyState,
  type ReadableMessage,
  streamIdsDecidingMessageCopies,
} from '../access/message-access.js';
import { CachedUserStreamMemberships, type MessageViewerContext } from '../access/viewer.js';
import { withoutReactionTagCondition } from '../narrow/conditions.js';
import { makeUnreadNarrowQueryPlan, type NarrowQueryPlan } from '../narrow/plan.js';
import { isActivePublicStream } from '../narrow/predicate.js';
import { makeStreamHistoryRanges, makeUserCopyRanges } from '../narrow/sources.js';
import { type StoredMessage, toStoredMessage } from '../stored/message.js';
import { currentStreamIdOfMessage, PackedMessageView, streamMovesOfMessage } from '../stored/packed-view.js';

/** The anchor `newest` as a number: above every message id. */
export const NEWEST_ANCHOR_MESSAGE_ID = 10_000_000_000_000_000;
/**
 * Minimum size of the second and later batches of a read. The first batch is as large as the page wanted, and mostly
 * suffices.
 */
const MIN_LATER_SCAN_BATCH_MESSAGES = 64;
const MAX_SCAN_BATCH_MESSAGES = 4_096;

const decodeIfPacked = (own: ReadableMessage): ReadableMessage =>
  own.message instanceof PackedMessageView ? { ...own, message: own.message.decode() } : own;

/** Reads messages for one user; loads the memberships that decide access on demand. */
export class UserMessageReader {
  readonly #cachedMemberships: CachedUserStreamMemberships;
  /** Cached ranges of the last plan: a window takes two scans of the same plan. */
  #rangesOfPlan: { readonly plan: NarrowQueryPlan; readonly ranges: Promise<readonly MessageIndexRange[]> } | undefined;

  constructor(
    private readonly store: Store,
    readonly viewer: MessageViewerContext,
  ) {
    this.#cachedMemberships = new CachedUserStreamMemberships(store, viewer.realm, viewer.user.id);
  }

  /** Selects the messages that the user may read in this view, in the order given. */
  async filterReadableWithHistory(
    messages: readonly StoredMessage[],
    history: NarrowQueryPlan['history'],
  ): Promise<ReadableMessage[]> {
    const streams = new Set<number>();
    for (const message of messages) for (const stream of streamIdsDecidingMessageCopies(message)) streams.add(stream);
    await this.#cachedMemberships.loadMissing([...streams]);
    const ownOf = this.#makeReadableOrUndefinedMapper(history);
    return messages.map(ownOf).filter((own) => own !== undefined);
  }

  /**
   * Finds out whether and how the user may access one message, in any view (messages.md § Access to a message);
   * undefined: the user has no access.
   */
  async findReadableInAnyView(message: StoredMessage): Promise<ReadableMessage | undefined> {
    await this.#cachedMemberships.loadMissing(streamIdsDecidingMessageCopies(message));
    const { has, gained } = this.#computeCopyState(message);
    if (has) return { message, copy: true, gained };
    const { directory, user, subscribed } = this.viewer;
    const of = currentStreamIdOfMessage(message);
    const stream = of === 0 ? undefined : directory.stream(of as never);
    if (!stream?.historyPublic || !mayReadStreamHistory(user, stream, subscribed(stream.id))) return undefined;
    return { message, copy: false, gained: false };
  }

  /** Messages of a narrow's plan, nearest to `from` first. Few messages that don't match are decoded. */
  async scanNarrow(
    plan: NarrowQueryPlan,
    from: number,
    direction: 'newer' | 'older',
    limit: number,
  ): Promise<ReadableMessage[]> {
    if (this.store.forEachPackedMessage && !plan.needsDecodedMessages)
      return this.#scanPacked(plan, from, direction, limit, decodeIfPacked);
    const rows: ReadableMessage[] = [];
    await this.#scanBatchesUntilLimit(plan, { from, direction, limit }, async (scan) => {
      const records = await this.store.scanMessages(scan);
      const readable = await this.filterReadableWithHistory(records.map(toStoredMessage), plan.history);
      for (const own of await filterInSlices(readable, plan.matches)) rows.push(own);
      return { count: records.length, last: records.at(-1)?.id, rows: rows.length };
    });
    return rows.slice(0, limit);
  }

  /**
   * Like `scanNarrow`, but without decoding messages if the Store and the plan allow it.
   *
   * @param take makes a row of a message, which is valid only during the call; the rows of some calls are dropped
   */
  async scanNarrowPacked<T>(
    plan: NarrowQueryPlan,
    from: number,
    direction: 'newer' | 'older',
    limit: number,
    take: (own: ReadableMessage) => T,
  ): Promise<T[]> {
    // A search marks the matches in its rows, which is slow for a long text.
    const isSlow = plan.needsDecodedMessages || plan.terms.some(({ is }) => is === 'search');
    return this.store.forEachPackedMessage && !isSlow
      ? this.#scanPacked(plan, from, direction, limit, take)
      : mapInSlices(await this.scanNarrow(plan, from, direction, limit), take);
  }

  async #scanPacked<T>(
    plan: NarrowQueryPlan,
    from: number,
    direction: 'newer' | 'older',
    limit: number,
    take: (own: ReadableMessage) => T,
  ): Promise<T[]> {
    const rows: T[] = [];
    const seen = new PackedMessageView();
    const ownOf = this.#makeReadableOrUndefinedMapper(plan.history);
    await this.#scanBatchesUntilLimit(plan, { from, direction, limit }, async (scan) => {
      const before = rows.length;
      for (;;) {
        const unknown: number[] = [];
        let last: number | undefined;
        const count = await this.store.forEachPackedMessage!(scan, (packed) => {
          last = packed.id;
          const message = seen.showOrDecode(packed);
          if (!this.#collectUnloadedMembershipStreams(message, unknown) || rows.length === limit) return;
          const own = ownOf(message);
          if (own && plan.matchesFound(own)) rows.push(take(own));
        });
        if (unknown.length === 0) return { count, last, rows: rows.length };
        // The memberships that decide about these messages weren't loaded: load them, and repeat the batch.
        await this.#cachedMemberships.loadMissing(unknown);
        rows.length = before;
      }
    });
    return rows;
  }

  /** True if the memberships that decide about a message are loaded. Adds missing streams to `unknown`. */
  #collectUnloadedMembershipStreams(message: StoredMessage, unknown: number[]): boolean {
    const { originStream } = message;
    const before = unknown.length;
    if (originStream !== 0 && !this.#cachedMemberships.hasLoaded(originStream)) unknown.push(originStream);
    if (streamMovesOfMessage(message).length > 0) {
      for (const stream of streamIdsDecidingMessageCopies(message))
        if (!this.#cachedMemberships.hasLoaded(stream)) unknown.push(stream);
    }
    return unknown.length === before;
  }

  /** Reads batch by batch, until there are `limit` rows or no more messages. */
  async #scanBatchesUntilLimit(
    plan: NarrowQueryPlan,
    { from, direction, limit }: Pick<MessageScan, 'from' | 'direction' | 'limit'>,
    next: (scan: MessageScan) => Promise<{ count: number; last: number | undefined; rows: number }>,
  ): Promise<void> {
    if (this.#rangesOfPlan?.plan !== plan) this.#rangesOfPlan = { plan, ranges: this.#loadMessageRangesOfPlan(plan) };
    const [range, ...or] = await this.#rangesOfPlan.ranges;
    if (!range) return;
    let at = from;
    for (
      let batch = limit;
      ;
      batch = Math.min(Math.max(batch * 2, MIN_LATER_SCAN_BATCH_MESSAGES), MAX_SCAN_BATCH_MESSAGES)
    ) {
      const scan = { ...range, or, realm: this.viewer.realm, from: at, direction, limit: batch };
      const { count, last, rows } = await next(scan);
      if (rows >= limit || count < batch) return;
      at = last!;
    }
  }

  async #loadMessageRangesOfPlan({
    history,
    conditions: derived,
  }: NarrowQueryPlan): Promise<readonly MessageIndexRange[]> {
    const { user, flags, streams, directory } = this.viewer;
    const conditions = this.store.tagsReactions ? derived : withoutReactionTagCondition(derived);
    if (history === 'public')
      return makeStreamHistoryRanges(
        [...directory.streams()].map(({ id }) => id),
        conditions,
      );
    if (history !== 'none') {
      // The membership decides which messages are copies. Without it the first batch would be read twice.
      await this.#cachedMemberships.loadMissing([history.stream]);
      return makeStreamHistoryRanges([history.stream], conditions);
    }
    await this.#cachedMemberships.loadMissing(streams);
    return makeUserCopyRanges(
      { user: user.id, flags, streams, membership: this.#cachedMemberships.loadedMembershipOf },
      conditions,
    );
  }

  /**
   * Makes the function that tells whether the user may read a message: by a copy, or by the history that this view
   * includes.
   */
  #makeReadableOrUndefinedMapper(
    history: NarrowQueryPlan['history'],
  ): (message: StoredMessage) => ReadableMessage | undefined {
    const { user, flags } = this.viewer;
    const made = flags.makePersonalCopyLookup();
    return (message) => {
      const { has, gained } = computeMessageCopyState(
        message,
        user.id,
        this.#cachedMemberships.loadedMembershipOf,
        made(message.id),
      );
      return has || this.#isInIncludedHistory(message, history) ? { message, copy: has, gained } : undefined;
    };
  }

  #computeCopyState(message: StoredMessage): MessageCopyState {
    const { user, flags } = this.viewer;
    return computeMessageCopyState(
      message,
      user.id,
      this.#cachedMemberships.loadedMembershipOf,
      flags.movesBeforePersonalCopy(message.id),
    );
  }

  #isInIncludedHistory(message: StoredMessage, history: NarrowQueryPlan['history']): boolean {
    const stream = currentStreamIdOfMessage(message);
    if (history === 'none' || stream === 0) return false;
    return history === 'public' ? isActivePublicStream(this.viewer, stream) : history.stream === stream;
  }
}

interface MessageWindowRequest {
  readonly anchor: number | 'first_unread';
  readonly numBefore: number;
  readonly numAfter: number;
  readonly includeAnchor: boolean;
}

/** Parameters of a request that describe a window of messages. */
interface MessageWindowApiArgs {
  readonly anchor: number | 'first_unread';
  readonly include_anchor: boolean;
  readonly num_before: number;
  readonly num_after: number;
}

export const toMessageWindowRequest = (args: MessageWindowApiArgs): MessageWindowRequest => ({
  anchor: args.anchor,
  numBefore: args.num_before,
  numAfter: args.num_after,
  includeAnchor: args.include_anchor,
});

interface FoundMessageWindow<T> {
  readonly rows: readonly T[];
  readonly anchor: number;
  readonly foundAnchor: boolean;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

export type MessageWindow = FoundMessageWindow<ReadableMessage>;

/** The fields of a window in the response to GET /messages, beside its messages. */
export const formatMessageWindowFieldsForApi = ({
  anchor,
  foundAnchor,
  foundOldest,
  foundNewest,
}: Omit<FoundMessageWindow<unknown>, 'rows'>) => ({
  anchor,
  found_newest: foundNewest,
  found_oldest: foundOldest,
  found_anchor: foundAnchor,
  history_limited: false,
});

export const fetchMessageWindow = (
  reader: UserMessageReader,
  plan: NarrowQueryPlan,
  window: MessageWindowRequest,
): Promise<MessageWindow> =>
  fetchWindowAround(reader, plan, window, {
    scan: (from, direction, limit) => reader.scanNarrow(plan, from, direction, limit),
    idOf: ({ message }) => message.id,
  });

/**
 * Fetches a window without decoding its messages. @param take makes a row, as in `UserMessageReader.scanNarrowPacked`;
 * by the direction in which the messages are read
 */
export const fetchPackedWindowRows = <T extends { readonly id: number }>(
  reader: UserMessageReader,
  plan: NarrowQueryPlan,
  window: MessageWindowRequest,
  take: { readonly [D in 'newer' | 'older']: (own: ReadableMessage) => T },
): Promise<FoundMessageWindow<T>> =>
  fetchWindowAround(reader, plan, window, {
    scan: (from, direction, limit) => reader.scanNarrowPacked(plan, from, direction, limit, take[direction]),
    idOf: ({ id }) => id,
  });

interface WindowRowSource<T> {
  scan(from: number, direction: 'newer' | 'older', limit: number): Promise<T[]>;
  idOf(row: T): number;
}

async function fetchWindowAround<T>(
  reader: UserMessageReader,
  plan: NarrowQueryPlan,
  window: MessageWindowRequest,
  { scan, idOf }: WindowRowSource<T>,
): Promise<FoundMessageWindow<T>> {
  const anchor =
    window.anchor === 'first_unread'
      ? await findFirstUnreadIdOrNewestAnchor(reader, plan)
      : Math.min(window.anchor, NEWEST_ANCHOR_MESSAGE_ID);
  const left = anchor === 0;
  const right = anchor === NEWEST_ANCHOR_MESSAGE_ID;
  const numBefore = left ? 0 : window.numBefore;
  const numAfter = right ? 0 : window.numAfter;
  // The anchor's message is wanted if the request includes it, or if it asks for no others.
  const wantsAnchor = !right && (window.includeAnchor || (numBefore === 0 && numAfter === 0));
  const [older, newer] = await Promise.all([
    numBefore > 0 ? scan(anchor, 'older', numBefore) : [],
    numAfter > 0 || wantsAnchor ? scan(anchor - 1, 'newer', numAfter + 1) : [],
  ]);
  const at = wantsAnchor ? newer.filter((row) => idOf(row) === anchor) : [];
  const after = newer.filter((row) => idOf(row) !== anchor).slice(0, numAfter);
  return {
    rows: [...older.reverse(), ...at, ...after],
    anchor,
    foundAnchor: at.length === 1,
    foundOldest: left || older.length < window.numBefore,
    foundNewest: right || after.length < window.numAfter,
  };
}

/** Id of the first unread message; `NEWEST_ANCHOR_MESSAGE_ID` if there is none. */
async function findFirstUnreadIdOrNewestAnchor(reader: UserMessageReader, plan: NarrowQueryPlan): Promise<number> {
  const [first] = await reader.scanNarrow(makeUnreadNarrowQueryPlan(plan, reader.viewer), -1, 'newer', 1);
  return first?.message.id ?? NEWEST_ANCHOR_MESSAGE_ID;
}
