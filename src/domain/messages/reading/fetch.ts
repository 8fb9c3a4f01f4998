/** GET /messages: messages around an anchor that the caller may read (narrow.md § Anchors and windows). */

import { filterInSlices, mapInSlices } from '#base';
import { canReadStreamHistory } from '#domain/streams';
import type { MessageRange, MessageScan, Store } from '#ports/store';
import {
  computeMessageCopyState,
  type MessageCopyState,
  type ReadableMessage,
  streamsDecidingMessageCopies,
} from '../access/message-access.js';
import { type MessageViewerContext, UserStreamMemberships } from '../access/viewer.js';
import { limitNarrowToUnread, type NarrowQueryPlan } from '../narrow/plan.js';
import { isPublicStream } from '../narrow/predicate.js';
import { storeRangesOfStreamHistory, storeRangesOfUserCopies } from '../narrow/sources.js';
import { type StoredMessage, toStoredMessage } from '../stored/message.js';
import { PackedMessageView, streamIdOfMessage, streamMovesOfMessage } from '../stored/packed-view.js';

/** The anchor `newest` as a number: above every message id. */
export const NEWEST_ANCHOR_MESSAGE_ID = 10_000_000_000_000_000;
/**
 * Minimum size of the second and later batches of a read. The first batch is as large as the page wanted, and mostly
 * suffices.
 */
const SECOND_SCAN_BATCH_MESSAGES = 64;
const MAX_SCAN_BATCH_MESSAGES = 4_096;

/** Reads messages for one user; loads the memberships that decide access on demand. */
export class UserMessageReader {
  readonly #members: UserStreamMemberships;

  constructor(
    private readonly store: Store,
    readonly viewer: MessageViewerContext,
  ) {
    this.#members = new UserStreamMemberships(store, viewer.realm, viewer.user.id);
  }

  /** Selects the messages that the user may read in this view, in the order given. */
  async filterReadable(
    messages: readonly StoredMessage[],
    history: NarrowQueryPlan['history'],
  ): Promise<ReadableMessage[]> {
    const streams = new Set<number>();
    for (const message of messages) for (const stream of streamsDecidingMessageCopies(message)) streams.add(stream);
    await this.#members.load([...streams]);
    const ownOf = this.#makeReadableMapper(history);
    return messages.map(ownOf).filter((own) => own !== undefined);
  }

  /**
   * Finds out whether and how the user may access one message, in any view (messages.md § Access to a message);
   * undefined: the user has no access.
   */
  async readableOrUndefined(message: StoredMessage): Promise<ReadableMessage | undefined> {
    await this.#members.load(streamsDecidingMessageCopies(message));
    const { has, gained } = this.#copyStateOf(message);
    if (has) return { message, copy: true, gained };
    const { directory, user, subscribed } = this.viewer;
    const of = streamIdOfMessage(message);
    const stream = of === 0 ? undefined : directory.stream(of as never);
    if (!stream?.historyPublic || !canReadStreamHistory(user, stream, subscribed(stream.id))) return undefined;
    return { message, copy: false, gained: false };
  }

  /** Messages of a narrow's plan, nearest to `from` first. */
  async scan(
    plan: NarrowQueryPlan,
    from: number,
    direction: 'newer' | 'older',
    limit: number,
  ): Promise<ReadableMessage[]> {
    const rows: ReadableMessage[] = [];
    await this.#scanInBatches(plan, { from, direction, limit }, async (scan) => {
      const records = await this.store.scanMessages(scan);
      const readable = await this.filterReadable(records.map(toStoredMessage), plan.history);
      for (const own of await filterInSlices(readable, plan.matches)) rows.push(own);
      return { count: records.length, last: records.at(-1)?.id, rows: rows.length };
    });
    return rows.slice(0, limit);
  }

  /**
   * Like `scan`, but without decoding messages if the Store and the plan allow it.
   *
   * @param take makes a row of a message, which is valid only during the call; the rows of some calls are dropped
   */
  async scanPacked<T>(
    plan: NarrowQueryPlan,
    from: number,
    direction: 'newer' | 'older',
    limit: number,
    take: (own: ReadableMessage) => T,
  ): Promise<T[]> {
    const { store } = this;
    if (!store.forEachPackedMessage || plan.readsTexts) {
      return mapInSlices(await this.scan(plan, from, direction, limit), take);
    }
    const rows: T[] = [];
    const seen = new PackedMessageView();
    const ownOf = this.#makeReadableMapper(plan.history);
    await this.#scanInBatches(plan, { from, direction, limit }, async (scan) => {
      const before = rows.length;
      for (;;) {
        const unknown: number[] = [];
        let last: number | undefined;
        const count = await store.forEachPackedMessage!(scan, (packed) => {
          last = packed.id;
          const message = seen.pointTo(packed);
          if (!this.#areMembershipsLoadedFor(message, unknown) || rows.length === limit) return;
          const own = ownOf(message);
          if (own && plan.matchesFound(own)) rows.push(take(own));
        });
        if (unknown.length === 0) return { count, last, rows: rows.length };
        // The memberships that decide about these messages weren't loaded: load them, and repeat the batch.
        await this.#members.load(unknown);
        rows.length = before;
      }
    });
    return rows;
  }

  /** True if the memberships that decide about a message are loaded. Adds missing streams to `unknown`. */
  #areMembershipsLoadedFor(message: StoredMessage, unknown: number[]): boolean {
    const { originStream } = message;
    const before = unknown.length;
    if (originStream !== 0 && !this.#members.knows(originStream)) unknown.push(originStream);
    if (streamMovesOfMessage(message).length > 0) {
      for (const stream of streamsDecidingMessageCopies(message))
        if (!this.#members.knows(stream)) unknown.push(stream);
    }
    return unknown.length === before;
  }

  /** Reads batch by batch, until there are `limit` rows or no more messages. */
  async #scanInBatches(
    plan: NarrowQueryPlan,
    { from, direction, limit }: Pick<MessageScan, 'from' | 'direction' | 'limit'>,
    next: (scan: MessageScan) => Promise<{ count: number; last: number | undefined; rows: number }>,
  ): Promise<void> {
    const [range, ...or] = await this.#messageRangesOfPlan(plan);
    if (!range) return;
    let at = from;
    for (
      let batch = limit;
      ;
      batch = Math.min(Math.max(batch * 2, SECOND_SCAN_BATCH_MESSAGES), MAX_SCAN_BATCH_MESSAGES)
    ) {
      const scan = { ...range, or, realm: this.viewer.realm, from: at, direction, limit: batch };
      const { count, last, rows } = await next(scan);
      if (rows >= limit || count < batch) return;
      at = last!;
    }
  }

  async #messageRangesOfPlan({ history, conditions }: NarrowQueryPlan): Promise<readonly MessageRange[]> {
    const { user, flags, streams, directory } = this.viewer;
    if (history === 'public')
      return storeRangesOfStreamHistory(
        [...directory.streams()].map(({ id }) => id),
        conditions,
      );
    if (history !== 'none') return storeRangesOfStreamHistory([history.stream], conditions);
    await this.#members.load(streams);
    return storeRangesOfUserCopies({ user: user.id, flags, streams, membership: this.#members.of }, conditions);
  }

  /**
   * Makes the function that tells whether the user may read a message: by a copy, or by the history that this view
   * includes.
   */
  #makeReadableMapper(history: NarrowQueryPlan['history']): (message: StoredMessage) => ReadableMessage | undefined {
    const { user, flags } = this.viewer;
    const made = flags.personalCopyTest();
    return (message) => {
      const { has, gained } = computeMessageCopyState(message, user.id, this.#members.of, made(message.id));
      return has || this.#isInHistory(message, history) ? { message, copy: has, gained } : undefined;
    };
  }

  #copyStateOf(message: StoredMessage): MessageCopyState {
    const { user, flags } = this.viewer;
    return computeMessageCopyState(message, user.id, this.#members.of, flags.hasPersonalCopy(message.id));
  }

  #isInHistory(message: StoredMessage, history: NarrowQueryPlan['history']): boolean {
    const stream = streamIdOfMessage(message);
    if (history === 'none' || stream === 0) return false;
    return history === 'public' ? isPublicStream(this.viewer, stream) : history.stream === stream;
  }
}

interface MessageWindowSpec {
  readonly anchor: number | 'first_unread';
  readonly numBefore: number;
  readonly numAfter: number;
  readonly includeAnchor: boolean;
}

/** Parameters of a request that describe a window of messages. */
interface MessageWindowArgs {
  readonly anchor: number | 'first_unread';
  readonly include_anchor: boolean;
  readonly num_before: number;
  readonly num_after: number;
}

export const toMessageWindowSpec = (args: MessageWindowArgs): MessageWindowSpec => ({
  anchor: args.anchor,
  numBefore: args.num_before,
  numAfter: args.num_after,
  includeAnchor: args.include_anchor,
});

interface MessageWindowRows<T> {
  readonly rows: readonly T[];
  readonly anchor: number;
  readonly foundAnchor: boolean;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

export type MessageWindow = MessageWindowRows<ReadableMessage>;

/** The fields of a window in the response to GET /messages, beside its messages. */
export const formatMessageWindowForApi = ({
  anchor,
  foundAnchor,
  foundOldest,
  foundNewest,
}: Omit<MessageWindowRows<unknown>, 'rows'>) => ({
  anchor,
  found_newest: foundNewest,
  found_oldest: foundOldest,
  found_anchor: foundAnchor,
  history_limited: false,
});

export const fetchMessageWindow = (
  reader: UserMessageReader,
  plan: NarrowQueryPlan,
  window: MessageWindowSpec,
): Promise<MessageWindow> =>
  fetchWindowAround(reader, plan, window, {
    scan: (from, direction, limit) => reader.scan(plan, from, direction, limit),
    idOf: ({ message }) => message.id,
  });

/** Fetches a window without decoding its messages. @param take as in `UserMessageReader.scanPacked` */
export const fetchPackedMessageWindow = <T extends { readonly id: number }>(
  reader: UserMessageReader,
  plan: NarrowQueryPlan,
  window: MessageWindowSpec,
  take: (own: ReadableMessage) => T,
): Promise<MessageWindowRows<T>> =>
  fetchWindowAround(reader, plan, window, {
    scan: (from, direction, limit) => reader.scanPacked(plan, from, direction, limit, take),
    idOf: ({ id }) => id,
  });

interface MessageRowSource<T> {
  scan(from: number, direction: 'newer' | 'older', limit: number): Promise<T[]>;
  idOf(row: T): number;
}

async function fetchWindowAround<T>(
  reader: UserMessageReader,
  plan: NarrowQueryPlan,
  window: MessageWindowSpec,
  { scan, idOf }: MessageRowSource<T>,
): Promise<MessageWindowRows<T>> {
  const anchor =
    window.anchor === 'first_unread'
      ? await findFirstUnreadId(reader, plan)
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
async function findFirstUnreadId(reader: UserMessageReader, plan: NarrowQueryPlan): Promise<number> {
  const [first] = await reader.scan(limitNarrowToUnread(plan, reader.viewer), -1, 'newer', 1);
  return first?.message.id ?? NEWEST_ANCHOR_MESSAGE_ID;
}
