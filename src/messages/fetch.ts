/** GET /messages: rows around an anchor, among what the caller may read (narrow.md § Anchors and windows). */
import type { MessageRange, Store } from '../store/index.js';
import { canReadHistory } from '../streams/index.js';
import { type Copy, copyOf, decidingStreams } from './copies.js';
import { OwnMemberships } from './own-memberships.js';
import { type Plan, unreadPlan } from './plan.js';
import { isPublicStream } from './predicate.js';
import { movesOf, seenMessages, streamOf } from './seen.js';
import { copyRanges, historyRanges } from './sources.js';
import type { StoredMessage } from './stored.js';
import type { Viewer } from './viewer.js';

/** 'newest' on the wire: above every message id. */
export const NEWEST = 10_000_000_000_000_000;
const FIRST_BATCH = 64;
/** For a single row, as GET /users/me asks for: mostly it is the very first. */
const FIRST_BATCH_OF_ONE = 1;
const LARGEST_BATCH = 4_096;

/** A message as one user has it. */
export interface OwnMessage {
  readonly message: StoredMessage;
  /** Without a copy: history that the user may read. */
  readonly copy: boolean;
  /** The copy came with a move between streams: it was read from the beginning. */
  readonly gained: boolean;
}

/** What one user may read, looked up in the Store as streams come up. */
export class Reader {
  readonly #members: OwnMemberships;

  constructor(
    private readonly store: Store,
    readonly viewer: Viewer,
  ) {
    this.#members = new OwnMemberships(store, viewer.realm, viewer.user.id);
  }

  /** Those of the messages that the user may read in this view; ids keep their order. */
  async readable(messages: readonly StoredMessage[], history: Plan['history']): Promise<OwnMessage[]> {
    const streams = new Set<number>();
    for (const message of messages) {
      // Of nearly all, one stream decides.
      if (message.home !== 0) streams.add(message.home);
      if (movesOf(message).length > 0) for (const stream of decidingStreams(message)) streams.add(stream);
    }
    await this.#members.load([...streams]);
    const { user, flags } = this.viewer;
    const made = flags.copiesMade();
    const own: OwnMessage[] = [];
    for (const message of messages) {
      const { has, gained } = copyOf(message, user.id, this.#members.of, made(message.id));
      if (has || this.#inHistory(message, history)) own.push({ message, copy: has, gained });
    }
    return own;
  }

  /** messages.md § Access to a message. */
  async access(message: StoredMessage): Promise<OwnMessage | undefined> {
    await this.#members.load(decidingStreams(message));
    const { has, gained } = this.#copy(message);
    if (has) return { message, copy: true, gained };
    const { directory, user, subscribed } = this.viewer;
    const of = streamOf(message);
    const stream = of === 0 ? undefined : directory.stream(of as never);
    if (!stream?.historyPublic || !canReadHistory(user, stream, subscribed(stream.id))) return undefined;
    return { message, copy: false, gained: false };
  }

  /** Rows of the narrow, nearest first. */
  async scan(plan: Plan, from: number, direction: 'newer' | 'older', limit: number): Promise<OwnMessage[]> {
    const rows: OwnMessage[] = [];
    const [range, ...or] = await this.#ranges(plan);
    if (!range) return rows;
    let at = from;
    let batch = limit === 1 ? FIRST_BATCH_OF_ONE : Math.max(FIRST_BATCH, limit);
    while (rows.length < limit) {
      const scan = { ...range, or, realm: this.viewer.realm, from: at, direction, limit: batch };
      const found = await seenMessages(this.store, scan);
      const readable = await this.readable(found, plan.history);
      rows.push(...readable.filter(plan.matches));
      if (found.length < batch) break;
      at = found.at(-1)!.id;
      batch = Math.min(Math.max(batch * 2, FIRST_BATCH), LARGEST_BATCH);
    }
    return rows.slice(0, limit);
  }

  async #ranges({ history, conditions }: Plan): Promise<readonly MessageRange[]> {
    const { user, flags, streams, directory } = this.viewer;
    if (history === 'public')
      return historyRanges(
        [...directory.streams()].map(({ id }) => id),
        conditions,
      );
    if (history !== 'none') return historyRanges([history.stream], conditions);
    await this.#members.load(streams);
    return copyRanges({ user: user.id, flags, streams, membership: this.#members.of }, conditions);
  }

  #copy(message: StoredMessage): Copy {
    const { user, flags } = this.viewer;
    return copyOf(message, user.id, this.#members.of, flags.madeCopy(message.id));
  }

  #inHistory(message: StoredMessage, history: Plan['history']): boolean {
    const stream = streamOf(message);
    if (history === 'none' || stream === 0) return false;
    return history === 'public' ? isPublicStream(this.viewer, stream) : history.stream === stream;
  }
}

export interface Window {
  readonly anchor: number | 'first_unread';
  readonly numBefore: number;
  readonly numAfter: number;
  readonly includeAnchor: boolean;
}

/** A window as requests name it. */
export interface WindowArgs {
  readonly anchor: number | 'first_unread';
  readonly include_anchor: boolean;
  readonly num_before: number;
  readonly num_after: number;
}

export const windowOf = (args: WindowArgs): Window => ({
  anchor: args.anchor,
  numBefore: args.num_before,
  numAfter: args.num_after,
  includeAnchor: args.include_anchor,
});

export interface Fetched {
  readonly rows: readonly OwnMessage[];
  readonly anchor: number;
  readonly foundAnchor: boolean;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

/** What GET /messages tells of a window beside its messages. */
export const presentWindow = ({ anchor, foundAnchor, foundOldest, foundNewest }: Fetched) => ({
  anchor,
  found_newest: foundNewest,
  found_oldest: foundOldest,
  found_anchor: foundAnchor,
  history_limited: false,
});

export async function fetchWindow(reader: Reader, plan: Plan, window: Window): Promise<Fetched> {
  const anchor = window.anchor === 'first_unread' ? await firstUnread(reader, plan) : Math.min(window.anchor, NEWEST);
  const left = anchor === 0;
  const right = anchor === NEWEST;
  const numBefore = left ? 0 : window.numBefore;
  const numAfter = right ? 0 : window.numAfter;
  // The anchor row comes with both sides, with the one side that asks for it, or alone.
  const wantsAnchor = !right && (window.includeAnchor || (numBefore === 0 && numAfter === 0));
  const [older, newer] = await Promise.all([
    numBefore > 0 ? reader.scan(plan, anchor, 'older', numBefore) : [],
    numAfter > 0 || wantsAnchor ? reader.scan(plan, anchor - 1, 'newer', numAfter + 1) : [],
  ]);
  const at = wantsAnchor ? newer.filter(({ message }) => message.id === anchor) : [];
  const after = newer.filter(({ message }) => message.id !== anchor).slice(0, numAfter);
  return {
    rows: [...older.reverse(), ...at, ...after],
    anchor,
    foundAnchor: at.length === 1,
    foundOldest: left || older.length < window.numBefore,
    foundNewest: right || after.length < window.numAfter,
  };
}

/** Smallest id without `read`; the newest when there is none. */
async function firstUnread(reader: Reader, plan: Plan): Promise<number> {
  const [first] = await reader.scan(unreadPlan(plan, reader.viewer), -1, 'newer', 1);
  return first?.message.id ?? NEWEST;
}
