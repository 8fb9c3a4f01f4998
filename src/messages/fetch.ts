/** GET /messages: rows around an anchor, among what the caller may read (narrow.md § Anchors and windows). */
import type { RealmId } from '../core/index.js';
import type { DirectoryUser, DirectoryView } from '../directory/index.js';
import type { Store } from '../store/index.js';
import { asMember, canReadHistory, type Member, memberPart } from '../streams/index.js';
import { type Copy, copyOf, decidingStreams } from './copies.js';
import type { Plan } from './plan.js';
import type { OwnFlags } from './read-state.js';
import { asStored, type StoredMessage } from './stored.js';

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
  readonly #members = new Map<number, Member | undefined>();

  constructor(
    private readonly store: Store,
    private readonly realm: RealmId,
    readonly user: DirectoryUser,
    private readonly directory: DirectoryView,
    private readonly subscribed: (stream: number) => boolean,
    readonly flags: OwnFlags,
  ) {}

  /** Those of the messages that the user may read in this view; ids keep their order. */
  async readable(messages: readonly StoredMessage[], history: Plan['history']): Promise<OwnMessage[]> {
    await this.#load(messages);
    const own: OwnMessage[] = [];
    for (const message of messages) {
      const { has, gained } = this.#copy(message);
      if (has || this.#inHistory(message, history)) own.push({ message, copy: has, gained });
    }
    return own;
  }

  /** messages.md § Access to a message. */
  async access(message: StoredMessage): Promise<OwnMessage | undefined> {
    await this.#load([message]);
    const { has, gained } = this.#copy(message);
    if (has) return { message, copy: true, gained };
    const stream = message.body.stream === 0 ? undefined : this.directory.stream(message.body.stream as never);
    if (!stream?.historyPublic || !canReadHistory(this.user, stream, this.subscribed(stream.id))) return undefined;
    return { message, copy: false, gained: false };
  }

  /** Rows along the plan's index, nearest first. */
  async scan(plan: Plan, from: number, direction: 'newer' | 'older', limit: number): Promise<OwnMessage[]> {
    const rows: OwnMessage[] = [];
    let at = from;
    let batch = limit === 1 ? FIRST_BATCH_OF_ONE : Math.max(FIRST_BATCH, limit);
    while (rows.length < limit) {
      const scan = { realm: this.realm, index: plan.index, from: at, direction, limit: batch };
      const records = await this.store.scanMessages(scan);
      const matching = records.map(asStored).filter((message) => plan.matches(message));
      rows.push(...(await this.readable(matching, plan.history)));
      if (records.length < batch) break;
      at = records.at(-1)!.id;
      batch = Math.min(Math.max(batch * 2, FIRST_BATCH), LARGEST_BATCH);
    }
    return rows.slice(0, limit);
  }

  #copy(message: StoredMessage): Copy {
    return copyOf(message, this.user.id, (stream) => this.#members.get(stream), this.flags.madeCopy(message.id));
  }

  #inHistory(message: StoredMessage, history: Plan['history']): boolean {
    const { stream } = message.body;
    if (history === 'none' || stream === 0) return false;
    if (history !== 'public') return history.stream === stream;
    const of = this.directory.stream(stream as never);
    return of !== undefined && !of.inviteOnly && !of.archived;
  }

  async #load(messages: readonly StoredMessage[]): Promise<void> {
    const missing = new Set<number>();
    for (const message of messages) {
      for (const stream of decidingStreams(message)) if (!this.#members.has(stream)) missing.add(stream);
    }
    if (missing.size === 0) return;
    const streams = [...missing];
    const parts = await this.store.getParts(streams.map((stream) => memberPart(this.realm, stream, this.user.id)));
    streams.forEach((stream, i) => {
      this.#members.set(stream, asMember(parts[i]?.value));
    });
  }
}

export interface Window {
  readonly anchor: number | 'first_unread';
  readonly numBefore: number;
  readonly numAfter: number;
  readonly includeAnchor: boolean;
}

export interface Fetched {
  readonly rows: readonly OwnMessage[];
  readonly anchor: number;
  readonly foundAnchor: boolean;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

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
  const unread: Plan = {
    ...plan,
    matches: (message) => plan.matches(message) && !message.body.flags[reader.user.id]?.includes('read'),
    history: 'none',
  };
  const [first] = await reader.scan(unread, -1, 'newer', 1);
  return first?.message.id ?? NEWEST;
}
