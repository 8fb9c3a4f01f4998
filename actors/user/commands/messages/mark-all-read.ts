/**
 * POST /mark_all_as_read (messages.md): marks all messages as read. One read mark per origin stream ("home") is
 * written, however many of its messages are unread.
 */

import { allMessagesReadEvent, partialReply, successReply } from '#actors/shared';
import { IdSet, type Json } from '#base';
import {
  DIRECT_ORIGIN,
  encodeReadState,
  NEWEST_ANCHOR,
  type OriginReadState,
  toStoredMessage,
  UnreadScan,
  UserFlags,
} from '#domain/messages';
import type { LogItem } from '#model';
import type { userCommands } from '#model/commands';
import type { InputContext, Outcome } from '#runtime';
import type { InputSources } from '../../../services.js';
import { readRangeEvents, unreadRangeOf } from '../../reading/flag-event.js';
import { awaitPublished, type NewestOfOrigin, readNewestDirect } from '../../reading/newest.js';
import { subscriptionsOf, type UserCommand, type UserState } from '../../state.js';

/** Time limit of one request, ms. After that time the new marks are written, and the client repeats the request. */
const DEADLINE_MS = 50_000;
/** Number of origin streams whose newest messages are read at the same time. */
const BATCH = 32;
/** Number of the realm's newest messages that decide which streams come first. */
const RECENT = 64;

interface Marking {
  /** Origins (streams, or all direct messages) with unread messages, newest first. */
  readonly homes: readonly NewestOfOrigin[];
  /** True if the time sufficed for all origins. */
  readonly complete: boolean;
}

async function newestOfRealm({ realm }: InputContext<UserState, undefined>, { store }: InputSources) {
  const scan = { realm, index: { by: 'realm' }, from: NEWEST_ANCHOR, direction: 'older', limit: RECENT } as const;
  return (await store.scanMessages(scan)).map(toStoredMessage);
}

/** Streams without a subscription whose messages moved to other streams and are unread there. */
async function leftWithUnread(scan: UnreadScan, flags: UserFlags, left: readonly number[]): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < left.length; i += BATCH) {
    const batch = left.slice(i, i + BATCH);
    const has = await Promise.all(batch.map((stream) => scan.hasUnreadElsewhere(stream, flags.reading(stream))));
    found.push(...batch.filter((_, n) => has[n]));
  }
  return found;
}

/** Streams ordered by newest message, as far as the realm's newest messages show; the others follow. */
async function byRecency(
  streams: readonly number[],
  context: InputContext<UserState, undefined>,
  sources: InputSources,
): Promise<number[]> {
  const own = new Set(streams);
  const newest = await newestOfRealm(context, sources);
  const recent = new Set(newest.map(({ body }) => body.stream).filter((id) => own.has(id)));
  return [...recent, ...streams.filter((id) => !recent.has(id))];
}

function marked({ mark, read }: OriginReadState, { settled, newer }: NewestOfOrigin): OriginReadState {
  const to = Math.max(mark, settled);
  return { mark: to, read: read.with(newer).above(to), unread: IdSet.EMPTY };
}

const changes = ({ mark, read, unread }: OriginReadState, { settled, newer }: NewestOfOrigin): boolean =>
  settled > mark || unread.size > 0 || newer.some((id) => id > mark && !read.has(id));

export const markAllReadHandler: UserCommand<typeof userCommands.markAllRead, Marking> = {
  // The lane is separate, because the reads of this command may take long and must not keep other commands waiting.
  lane: 'mark-all',
  async inputs(_args, context, sources) {
    const { clock } = sources.services;
    const { realm, caller, view } = context;
    const until = clock.now() + DEADLINE_MS;
    const flags = new UserFlags(caller, view.parts);
    const scan = new UnreadScan(sources.store, realm, caller);
    const own = subscriptionsOf(view.parts);
    const active = new Set(own.filter((of) => of.active).map((of) => of.stream));
    const others = new Set([...own.map((of) => of.stream), ...flags.origins()].filter((id) => !active.has(id)));
    others.delete(DIRECT_ORIGIN);
    const streams = await byRecency([...active], context, sources);
    streams.push(...(await leftWithUnread(scan, flags, [...others])));
    const homes: NewestOfOrigin[] = [await readNewestDirect(realm, caller, sources)];
    for (let i = 0; i < streams.length; i += BATCH) {
      // The request ends early only if there is a mark to write: the client will repeat the request, which must make
      // progress.
      if (clock.now() >= until && homes.some((home) => changes(flags.reading(home.home), home))) {
        return { homes, complete: false };
      }
      const batch = streams.slice(i, i + BATCH);
      const newest = await Promise.all(batch.map((stream) => scan.newestSentTo(stream)));
      batch.forEach((home, n) => {
        homes.push({ home, settled: newest[n]!, newer: [] });
      });
    }
    await awaitPublished(realm, await newestOfRealm(context, sources), sources);
    return { homes, complete: true };
  },
  handle({ parts }, _args, { homes, complete }, { caller }): Outcome<UserState> {
    const flags = new UserFlags(caller, parts);
    const written: Record<string, Json> = {};
    const events: LogItem[] = [];
    for (const newest of homes) {
      const reading = flags.reading(newest.home);
      if (!changes(reading, newest)) continue;
      Object.assign(written, encodeReadState(newest.home, marked(reading, newest)));
      const to = Math.max(newest.settled, ...newest.newer);
      if (!complete) events.push(...readRangeEvents(caller, unreadRangeOf(newest.home, reading, to, 0)));
    }
    if (complete) return { reply: successReply(), parts: written, events: [allMessagesReadEvent(caller)] };
    return { reply: partialReply(), parts: written, events };
  },
};
