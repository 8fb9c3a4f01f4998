/**
 * Receivers of messages. An export has a row per user and message; this server keeps the intervals in which a user was
 * subscribed to a stream. This file finds these intervals (stays) from the rows: a stay begins with the first message
 * for which a user has a row, and ends before the first message without one. Runs of one or two rows are kept as single
 * messages instead of stays.
 */
import { IdSet, type Json } from '#base';
import { encodeMarkedMessageIdsPart } from '#domain/messages';
import type { StreamMembershipRecord } from '#domain/streams';
import type { ImportedOrganizationDraft } from '../import/draft.js';

type MutableImportedStay = { from: number; to: number; after: number; until: number; silent?: true };

/** Maximum number of rows in a run that is kept as single messages instead of a stay. */
const MAX_RUN_ROWS_KEPT_AS_SINGLE_COPIES = 2;

/** A run of consecutive rows that has not ended. */
interface OpenReceiverRun {
  readonly from: number;
  /** Id of the stream's last message before the run. */
  readonly after: number;
  /** First message ids of the run, at most one more than MAX_RUN_ROWS_KEPT_AS_SINGLE_COPIES. */
  readonly first: number[];
  /** Id of the last message of the run. */
  latest: number;
}

/** The stays (intervals of subscription) of users in one stream. */
class StreamStaysBuilder {
  lastMessageId = 0;
  membershipVersion = 0;
  readonly openRunsByUser = new Map<number, OpenReceiverRun>();
  readonly staysByUser = new Map<number, MutableImportedStay[]>();

  constructor(private readonly single: (user: number, id: number) => void) {}

  addMessageReceivers(id: number, receivers: readonly number[]): void {
    let changed = false;
    const version = (): number => {
      if (!changed) this.membershipVersion++;
      changed = true;
      return this.membershipVersion;
    };
    let continued = 0;
    const openBefore = this.openRunsByUser.size;
    for (const user of receivers) {
      const run = this.openRunsByUser.get(user);
      if (!run) {
        this.openRunsByUser.set(user, { from: version(), after: this.lastMessageId, first: [id], latest: id });
      } else if (run.latest !== id) {
        continued++;
        run.latest = id;
        if (run.first.length <= MAX_RUN_ROWS_KEPT_AS_SINGLE_COPIES) run.first.push(id);
      }
    }
    if (continued < openBefore) {
      for (const [user, run] of this.openRunsByUser) {
        if (run.latest === id) continue;
        this.openRunsByUser.delete(user);
        this.#endRunAsStayOrSingleCopies(user, run, version);
      }
    }
    this.lastMessageId = id;
  }

  #endRunAsStayOrSingleCopies(user: number, run: OpenReceiverRun, version: () => number): void {
    if (run.first.length <= MAX_RUN_ROWS_KEPT_AS_SINGLE_COPIES) {
      for (const id of run.first) this.single(user, id);
      return;
    }
    this.addStay(user, { from: run.from, to: version(), after: run.after, until: this.lastMessageId });
  }

  addStay(user: number, stay: MutableImportedStay): void {
    const all = this.staysByUser.get(user);
    if (all) all.push(stay);
    else this.staysByUser.set(user, [stay]);
  }

  /** Ends the runs of users who are not subscribed now, and begins a stay for subscribers who have none. */
  finishStays(subscribed: (user: number) => boolean, subscribers: Iterable<number>, silent: ReadonlySet<number>): void {
    this.membershipVersion++;
    for (const [user, run] of this.openRunsByUser) {
      if (!subscribed(user)) this.#endRunAsStayOrSingleCopies(user, run, () => this.membershipVersion);
      else this.addStay(user, { from: run.from, to: 0, after: run.after, until: 0 });
    }
    for (const user of subscribers) {
      if (this.openRunsByUser.has(user)) continue;
      this.addStay(user, {
        from: this.membershipVersion,
        to: 0,
        after: this.lastMessageId,
        until: 0,
        ...(silent.has(user) ? { silent: true as const } : {}),
      });
    }
  }
}

/** Facts about a stream that are known after all messages were read. */
export interface ImportedStreamMemberships {
  readonly mv: number;
  readonly last: number;
  readonly members: ReadonlyMap<number, StreamMembershipRecord>;
}

export class ImportedMessageCopies {
  readonly #staysBuilderByStreamId = new Map<number, StreamStaysBuilder>();
  /** Ids of single messages that users received outside of stays, by user; they ascend within one stream only. */
  readonly #singleCopyMessageIdsByUserId = new Map<number, number[]>();

  constructor(private readonly draft: ImportedOrganizationDraft) {}

  /**
   * Records who received a message in a stream.
   * @param receivers users with a row that was not added later; a user may occur twice
   * @returns users who have no row because they were away for long; for them the message is unread
   */
  addReceiversAndListAwayUsers(
    stream: number,
    old: number,
    id: number,
    receivers: readonly number[],
  ): readonly number[] {
    const away = this.#listAwayUsers(stream, old, receivers);
    const all = away.length === 0 ? receivers : [...receivers, ...away];
    this.#getOrMakeStaysBuilder(stream).addMessageReceivers(id, all);
    return away;
  }

  #listAwayUsers(stream: number, old: number, receivers: readonly number[]): readonly number[] {
    const { idleAccountByUserId, currentSubscriberIdsByStreamId } = this.draft;
    const away: number[] = [];
    if (idleAccountByUserId.size === 0) return away;
    const present = new Set(receivers);
    for (const [user, { since }] of idleAccountByUserId)
      if (old > since && !present.has(user) && currentSubscriberIdsByStreamId.get(stream)?.has(user)) away.push(user);
    return away;
  }

  /**
   * Returns the stays in a stream, after all messages were read, and forgets them.
   * @param active returns true for an active account
   */
  takeMembershipsOfStream(
    stream: number,
    active: (user: number) => boolean,
    silent: ReadonlySet<number>,
  ): ImportedStreamMemberships {
    const stays = this.#getOrMakeStaysBuilder(stream);
    this.#staysBuilderByStreamId.delete(stream);
    const subscribers = [...(this.draft.currentSubscriberIdsByStreamId.get(stream) ?? [])].filter(active);
    const now = new Set(subscribers);
    stays.finishStays((user) => now.has(user), subscribers, silent);
    return {
      mv: stays.membershipVersion,
      last: stays.lastMessageId,
      members: new Map([...stays.staysByUser].map(([user, all]) => [user, { stays: all }])),
    };
  }

  /** Returns the part of a user's actor with the single copies, after `takeMembershipsOfStream` of all streams. */
  takeSingleCopiesPartOfUser(user: number): Record<string, Json> {
    const ids = this.#singleCopyMessageIdsByUserId.get(user);
    this.#singleCopyMessageIdsByUserId.delete(user);
    return ids ? encodeMarkedMessageIdsPart('copied', IdSet.fromIds(ids)) : {};
  }

  #getOrMakeStaysBuilder(stream: number): StreamStaysBuilder {
    let stays = this.#staysBuilderByStreamId.get(stream);
    if (!stays) {
      stays = new StreamStaysBuilder((user, id) => {
        const ids = this.#singleCopyMessageIdsByUserId.get(user);
        if (ids) ids.push(id);
        else this.#singleCopyMessageIdsByUserId.set(user, [id]);
      });
      this.#staysBuilderByStreamId.set(stream, stays);
    }
    return stays;
  }
}
