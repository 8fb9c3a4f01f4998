/**
 * Fields of events that differ from recipient to recipient, resolved when the event is delivered: the flags on an
 * edited message, and the messages that a change of read state has marked as read (both from the Store, in one read for
 * all queues of this host that ask in one tick), and the unsealed secrets of a bot.
 */

import { IdSet, type JsonObject } from '#base';
import {
  computeMessageCopyState,
  listKnownFlagsInApiOrder,
  MESSAGE_MARK_NAMES,
  MESSAGE_MARK_PART_PREFIX,
  type OriginReadState,
  PERSONAL_COPIES_AFTER_MOVES_PART,
  PERSONAL_COPY_PARTS,
  type PersonalCopyLookup,
  READ_STATE_PART_PREFIX,
  type StoredMessage,
  streamIdsDecidingMessageCopies,
  toStoredMessage,
  UnreadMessageScan,
  UserMessageFlagsView,
} from '#domain/messages';
import { withoutBotSecrets, withUnsealedBotSecrets } from '#domain/people';
import type { ServerCryptography } from '#domain/secrets';
import { streamMemberPartAddress, toStreamMembershipRecord } from '#domain/streams';
import {
  MAX_READ_IDS_PER_EVENT,
  type ReadMessageIdRange,
  type RealmId,
  type RecipientFieldRule,
  toUserId,
  userActorKey,
} from '#model';
import type { EventQueueOptions } from '#model/commands';
import type { Store } from '#ports/store';

/** Maximum number of cached ranges of read messages, which the other slices of the same change of read state use. */
const MAX_CACHED_READ_RANGES = 16;

interface MessageFlagsRequest {
  readonly user: number;
  resolve(flags: readonly string[]): void;
  reject(error: unknown): void;
}

export class RecipientFieldResolver {
  /** Requests for flags made in this tick, by realm and message. */
  readonly #flagsRequestsByMessage = new Map<string, MessageFlagsRequest[]>();
  readonly #readIdsByRange = new Map<string, Promise<readonly number[]>>();

  constructor(
    private readonly store: Store,
    private readonly secrets: ServerCryptography,
  ) {}

  /**
   * Resolves the fields of an event that differ from user to user.
   * @param options of the queue that gets the event
   * @returns the fields for this user; null: there is no event for this user
   * @throws StoreUnavailableError
   */
  async resolve(
    realm: RealmId,
    user: number,
    part: RecipientFieldRule,
    options: Pick<EventQueueOptions, 'withoutBotSecrets'>,
  ): Promise<JsonObject | null> {
    if (part.of === 'bot') {
      if (options.withoutBotSecrets) return { bot: withoutBotSecrets(part.bot) };
      return { bot: withUnsealedBotSecrets(part.bot, (text) => this.secrets.unsealOrUndefined(text)) };
    }
    if (part.of === 'flags') return { flags: await this.#requestFlags(realm, part.message, user) };
    const ids = await this.#getOrFindReadIds(realm, user, part);
    const from = part.slice * MAX_READ_IDS_PER_EVENT;
    const messages = ids.slice(from, part.last ? undefined : from + MAX_READ_IDS_PER_EVENT);
    return messages.length === 0 ? null : { messages };
  }

  #requestFlags(realm: RealmId, message: number, user: number): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      const key = `${realm} ${message}`;
      const requests = this.#flagsRequestsByMessage.get(key);
      if (requests) {
        requests.push({ user, resolve, reject });
        return;
      }
      const first = [{ user, resolve, reject }];
      this.#flagsRequestsByMessage.set(key, first);
      setImmediate(() => {
        this.#flagsRequestsByMessage.delete(key);
        this.#answerFlagRequests(realm, message, first).catch((error: unknown) => {
          for (const one of first) one.reject(error);
        });
      });
    });
  }

  async #answerFlagRequests(realm: RealmId, id: number, requests: readonly MessageFlagsRequest[]): Promise<void> {
    const [record] = await this.store.getMessages(realm, [id]);
    const message = record ? toStoredMessage(record) : undefined;
    const users = [...new Set(requests.map(({ user }) => user))];
    const known = message ? await this.#readFlagsOfUsers(realm, message, users) : new Map<number, readonly string[]>();
    // A user without a copy, and a message that was deleted, count as read.
    for (const { user, resolve } of requests) resolve(known.get(user) ?? ['read']);
  }

  async #readFlagsOfUsers(
    realm: RealmId,
    message: StoredMessage,
    users: readonly number[],
  ): Promise<Map<number, readonly string[]>> {
    const streams = streamIdsDecidingMessageCopies(message);
    const names = [
      `${READ_STATE_PART_PREFIX}${message.originStream}`,
      ...MESSAGE_MARK_NAMES.map((name) => `${MESSAGE_MARK_PART_PREFIX}${name}`),
      PERSONAL_COPIES_AFTER_MOVES_PART,
    ];
    const wanted = users.flatMap((user) => [
      ...names.map((part) => ({ key: userActorKey(realm, user as never), part })),
      ...streams.map((stream) => streamMemberPartAddress(realm, stream, user)),
    ]);
    const parts = await this.store.getParts(wanted);
    const each = names.length + streams.length;
    const flags = new Map<number, readonly string[]>();
    users.forEach((user, n) => {
      const of = parts.slice(n * each, (n + 1) * each);
      const own = new UserMessageFlagsView(
        user,
        new Map(names.flatMap((name, i) => (of[i] ? [[name, of[i]!.value] as const] : []))),
      );
      const member = (stream: number) => toStreamMembershipRecord(of[names.length + streams.indexOf(stream)]?.value);
      const { has, gained } = computeMessageCopyState(message, user, member, own.movesBeforePersonalCopy(message.id));
      if (has) flags.set(user, listKnownFlagsInApiOrder(own.flagsOf({ message, copy: true, gained })));
    });
    return flags;
  }

  /** Ids of the messages in the range, cached: all slices of one change ask for the same range, one after the other. */
  #getOrFindReadIds(realm: RealmId, user: number, part: ReadMessageIdRange): Promise<readonly number[]> {
    // Two changes of read state with no new message between them differ only in their exceptions, so the key contains
    // those.
    const exceptions = [part.read, part.unread].map((ids) => Buffer.from(ids).toString('base64')).join();
    const key = `${realm} ${user} ${part.home} ${part.above} ${part.to} ${part.stream} ${exceptions}`;
    const known = this.#readIdsByRange.get(key);
    if (known) return known;
    const range = this.#findReadIdsInRange(realm, user, part);
    this.#readIdsByRange.set(key, range);
    range.catch(() => this.#readIdsByRange.delete(key));
    if (this.#readIdsByRange.size > MAX_CACHED_READ_RANGES)
      this.#readIdsByRange.delete(this.#readIdsByRange.keys().next().value as string);
    return range;
  }

  async #findReadIdsInRange(realm: RealmId, user: number, part: ReadMessageIdRange): Promise<readonly number[]> {
    const { home, above, to, stream } = part;
    const reading: OriginReadState = {
      mark: above,
      read: IdSet.decode(part.read),
      unread: IdSet.decode(part.unread),
    };
    const here = ({ body }: StoredMessage): boolean => stream === 0 || body.stream === stream;
    const scan = new UnreadMessageScan(this.store, realm, user);
    const ids: number[] = [];
    for await (const batch of scan.scanUnreadAboveMark(home, reading, to))
      ids.push(...batch.filter(here).map(({ id }) => id));
    if (reading.unread.size > 0) {
      const made = await this.#loadPersonalCopies(realm, user);
      const below = await scan.loadMessagesUnreadBelowReadMark(reading.unread.ids, made);
      ids.push(...below.filter(here).map(({ id }) => id));
    }
    return [...new Set(ids)].sort((a, b) => a - b);
  }

  async #loadPersonalCopies(realm: RealmId, user: number): Promise<PersonalCopyLookup> {
    const key = userActorKey(realm, toUserId(user));
    const parts = await this.store.getParts(PERSONAL_COPY_PARTS.map((part) => ({ key, part })));
    const own = new Map(PERSONAL_COPY_PARTS.flatMap((name, i) => (parts[i] ? [[name, parts[i].value] as const] : [])));
    return new UserMessageFlagsView(user, own).makePersonalCopyLookup();
  }
}
