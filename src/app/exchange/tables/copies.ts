/**
 * Receivers of messages. An export has a row per user and message; this server keeps the intervals in which a user was
 * subscribed to a stream. This file finds these intervals (stays) from the rows: a stay begins with the first message
 * for which a user has a row, and ends before the first message without one. Runs of one or two rows are kept as single
 * messages instead of stays.
 */
import { IdSet, type Json, withDoubledLength } from '#base';
import { encodeMarkedMessageIdsPart } from '#domain/messages';
import type { StreamMembershipRecord } from '#domain/streams';
import type { ImportedIdleAccount, ImportedOrganizationDraft } from '../import/draft.js';
import { requireReceiverId } from '../import/message-files.js';
import type { ImportedReadStatesAndMarks } from './flags.js';

type MutableImportedStay = { from: number; to: number; after: number; until: number; silent?: true };

/** Maximum number of rows in a run that is kept as single messages instead of a stay. */
const MAX_RUN_ROWS_KEPT_AS_SINGLE_COPIES = 2;
/** Number of messages of a stream whose rows are recorded together: one for each bit of a mask. */
const MESSAGES_PER_BLOCK = 32;
const FIRST_SLOTS = 16;

/** A run of consecutive rows that has not ended. */
interface OpenReceiverRun {
  readonly from: number;
  /** Id of the stream's last message before the run. */
  readonly after: number;
  /** First message ids of the run, at most one more than MAX_RUN_ROWS_KEPT_AS_SINGLE_COPIES. */
  readonly first: number[];
}

/** The stays (intervals of subscription) of users in one stream. */
class StreamStaysBuilder {
  lastMessageId = 0;
  membershipVersion = 0;
  /** Open runs by the user's slot. */
  readonly #openRuns: (OpenReceiverRun | undefined)[] = [];
  readonly staysByUser = new Map<number, MutableImportedStay[]>();

  constructor(private readonly single: (user: number, id: number) => void) {}

  /**
   * Adds a block of messages.
   * @param users users by slot
   * @param receivedMasks for each slot, the bits of the messages that the user received
   */
  addMessages(ids: readonly number[], users: readonly number[], receivedMasks: Uint32Array): void {
    const whole = 2 ** ids.length - 1;
    const versions = this.#makeVersionsOfMessages(ids.length, users.length, receivedMasks);
    for (const [slot, user] of users.entries()) {
      const received = receivedMasks[slot]!;
      let run = this.#openRuns[slot];
      if (received === whole && run) {
        for (let i = 0; i < ids.length && run.first.length <= MAX_RUN_ROWS_KEPT_AS_SINGLE_COPIES; i++)
          run.first.push(ids[i]!);
        continue;
      }
      if (received === 0 && !run) continue;
      for (const [i, id] of ids.entries()) {
        const before = i === 0 ? this.lastMessageId : ids[i - 1]!;
        if (((received >>> i) & 1) === 0) {
          if (run) this.#endRunAsStayOrSingleCopies(user, run, versions[i]!, before);
          run = undefined;
          continue;
        }
        run ??= { from: versions[i]!, after: before, first: [] };
        if (run.first.length <= MAX_RUN_ROWS_KEPT_AS_SINGLE_COPIES) run.first.push(id);
      }
      this.#openRuns[slot] = run;
    }
    this.lastMessageId = ids.at(-1)!;
    this.membershipVersion = versions.at(-1)!;
  }

  /** Returns the version of the members with each message. It rises with a message at which a run begins or ends. */
  #makeVersionsOfMessages(messages: number, slots: number, receivedMasks: Uint32Array): number[] {
    let changes = 0;
    for (let slot = 0; slot < slots; slot++) {
      const received = receivedMasks[slot]!;
      changes |= received ^ ((received << 1) | (this.#openRuns[slot] ? 1 : 0));
    }
    let version = this.membershipVersion;
    return Array.from({ length: messages }, (_, i) => {
      version += (changes >>> i) & 1;
      return version;
    });
  }

  #endRunAsStayOrSingleCopies(user: number, { from, after, first }: OpenReceiverRun, to: number, until: number): void {
    if (first.length <= MAX_RUN_ROWS_KEPT_AS_SINGLE_COPIES) for (const id of first) this.single(user, id);
    else this.#addStay(user, { from, to, after, until });
  }

  #addStay(user: number, stay: MutableImportedStay): void {
    const all = this.staysByUser.get(user);
    if (all) all.push(stay);
    else this.staysByUser.set(user, [stay]);
  }

  /** Ends the runs of users who are not subscribed now, and begins a stay for subscribers who have none. */
  finishStays(
    users: readonly number[],
    subscribed: (user: number) => boolean,
    subscribers: Iterable<number>,
    silent: ReadonlySet<number>,
  ): void {
    this.membershipVersion++;
    const withOpenRun = new Set<number>();
    for (const [slot, user] of users.entries()) {
      const run = this.#openRuns[slot];
      if (!run) continue;
      withOpenRun.add(user);
      if (!subscribed(user)) this.#endRunAsStayOrSingleCopies(user, run, this.membershipVersion, this.lastMessageId);
      else this.#addStay(user, { from: run.from, to: 0, after: run.after, until: 0 });
    }
    for (const user of subscribers) {
      if (withOpenRun.has(user)) continue;
      this.#addStay(user, {
        from: this.membershipVersion,
        to: 0,
        after: this.lastMessageId,
        until: 0,
        ...(silent.has(user) ? { silent: true as const } : {}),
      });
    }
  }
}

/**
 * Rows of receivers of the messages in one stream. An export has dozens for each message, so a row only sets bits;
 * stays and read states follow from the bits of `MESSAGES_PER_BLOCK` messages at once. Each user with a row has a slot.
 */
export class ImportedStreamReceivers {
  readonly stays: StreamStaysBuilder;
  readonly #awaySubscribers: readonly (ImportedIdleAccount & { readonly user: number })[];
  /** Users by slot. */
  readonly #users: number[] = [];
  /** Ids of the users in the export, by slot; -1 if the user had no row yet. */
  readonly #exportedUserIds: number[] = [];
  readonly #slotByUser = new Map<number, number>();
  /** Slots of the rows of the newest message, then of older ones: most messages have rows in the same order. */
  readonly #slotsInRowOrder: number[] = [];
  #rowsOfMessage = 0;
  /** Ids of the messages of the block. */
  #ids: number[] = [];
  /** Bit of the newest message of the block. */
  #bit = 0;
  #rowMasks = new Uint32Array(FIRST_SLOTS);
  #unreadMasks = new Uint32Array(FIRST_SLOTS);
  #receivedMasks = new Uint32Array(FIRST_SLOTS);

  constructor(
    private readonly draft: ImportedOrganizationDraft,
    private readonly stream: number,
    private readonly readStates: ImportedReadStatesAndMarks,
    single: (user: number, id: number) => void,
  ) {
    this.stays = new StreamStaysBuilder(single);
    this.#awaySubscribers = [...(draft.currentSubscriberIdsByStreamId.get(stream) ?? [])].flatMap((user) => {
      const idle = draft.idleAccountByUserId.get(user);
      return idle ? [{ user, ...idle }] : [];
    });
  }

  /** Begins the rows of a message. Ids ascend from call to call. */
  beginMessage(id: number): void {
    if (this.#ids.length === MESSAGES_PER_BLOCK) this.#endBlock();
    this.#bit = 1 << this.#ids.length;
    this.#ids.push(id);
    this.#rowsOfMessage = 0;
  }

  /**
   * Adds a row of zerver_usermessage of the newest message. A user may have several; if one is unread, the message is.
   * @param isReceiver false for a row that was added after the message was sent
   * @returns the user's id on this server
   * @throws ExportFormatError if the export has no such user
   */
  addRow(exportedUserId: number, isRead: boolean, isReceiver: boolean): number {
    const expected = this.#slotsInRowOrder[this.#rowsOfMessage];
    const slot =
      expected !== undefined && this.#exportedUserIds[expected] === exportedUserId
        ? expected
        : this.#findOrAddSlotOfRow(exportedUserId);
    this.#slotsInRowOrder[this.#rowsOfMessage++] = slot;
    this.#rowMasks[slot]! |= this.#bit;
    if (!isRead) this.#unreadMasks[slot]! |= this.#bit;
    if (isReceiver) this.#receivedMasks[slot]! |= this.#bit;
    return this.#users[slot]!;
  }

  /** Adds rows of subscribers who have none because they were away for long: for them the newest message is unread. */
  addAwayUsers(exportedMessageId: number): void {
    for (const { user, since } of this.#awaySubscribers) {
      if (exportedMessageId <= since) continue;
      const slot = this.#findOrAddSlot(user);
      if ((this.#receivedMasks[slot]! & this.#bit) !== 0) continue;
      this.#rowMasks[slot]! |= this.#bit;
      this.#unreadMasks[slot]! |= this.#bit;
      this.#receivedMasks[slot]! |= this.#bit;
    }
  }

  #findOrAddSlotOfRow(exportedUserId: number): number {
    const slot = this.#findOrAddSlot(requireReceiverId(this.draft.userIdMap, exportedUserId));
    this.#exportedUserIds[slot] = exportedUserId;
    return slot;
  }

  #findOrAddSlot(user: number): number {
    const found = this.#slotByUser.get(user);
    if (found !== undefined) return found;
    const slot = this.#users.length;
    this.#slotByUser.set(user, slot);
    this.#users.push(user);
    this.#exportedUserIds.push(-1);
    if (slot === this.#rowMasks.length) {
      this.#rowMasks = withDoubledLength(this.#rowMasks);
      this.#unreadMasks = withDoubledLength(this.#unreadMasks);
      this.#receivedMasks = withDoubledLength(this.#receivedMasks);
    }
    return slot;
  }

  #endBlock(): void {
    if (this.#ids.length === 0) return;
    this.stays.addMessages(this.#ids, this.#users, this.#receivedMasks);
    for (const [slot, user] of this.#users.entries()) {
      const rows = this.#rowMasks[slot]!;
      if (rows !== 0)
        this.readStates.addMessageReadStates(user, this.stream, this.#ids, rows, this.#unreadMasks[slot]!);
    }
    this.#ids = [];
    this.#rowMasks.fill(0);
    this.#unreadMasks.fill(0);
    this.#receivedMasks.fill(0);
  }

  /** Ends the stays after all messages. */
  finish(subscribed: (user: number) => boolean, subscribers: Iterable<number>, silent: ReadonlySet<number>): void {
    this.#endBlock();
    this.stays.finishStays(this.#users, subscribed, subscribers, silent);
  }
}

/** Facts about a stream that are known after all messages were read. */
export interface ImportedStreamMemberships {
  readonly mv: number;
  readonly last: number;
  readonly members: ReadonlyMap<number, StreamMembershipRecord>;
}

/** Receivers of all messages. The accounts and subscriptions of the draft must be known before the first one. */
export class ImportedMessageCopies {
  readonly #receiversByStreamId = new Map<number, ImportedStreamReceivers>();
  /** Ids of single messages that users received outside of stays, by user; they ascend within one stream only. */
  readonly #singleCopyMessageIdsByUserId = new Map<number, number[]>();

  constructor(
    private readonly draft: ImportedOrganizationDraft,
    private readonly readStates: ImportedReadStatesAndMarks,
  ) {}

  receiversOfStream(stream: number): ImportedStreamReceivers {
    let receivers = this.#receiversByStreamId.get(stream);
    if (!receivers) {
      receivers = new ImportedStreamReceivers(this.draft, stream, this.readStates, (user, id) => {
        const ids = this.#singleCopyMessageIdsByUserId.get(user);
        if (ids) ids.push(id);
        else this.#singleCopyMessageIdsByUserId.set(user, [id]);
      });
      this.#receiversByStreamId.set(stream, receivers);
    }
    return receivers;
  }

  /**
   * Returns the stays in a stream, after all messages were read, and forgets them. The read states of the stream are
   * complete then.
   * @param active returns true for an active account
   */
  takeMembershipsOfStream(
    stream: number,
    active: (user: number) => boolean,
    silent: ReadonlySet<number>,
  ): ImportedStreamMemberships {
    const receivers = this.receiversOfStream(stream);
    this.#receiversByStreamId.delete(stream);
    const subscribers = [...(this.draft.currentSubscriberIdsByStreamId.get(stream) ?? [])].filter(active);
    const now = new Set(subscribers);
    receivers.finish((user) => now.has(user), subscribers, silent);
    const { membershipVersion, lastMessageId, staysByUser } = receivers.stays;
    return {
      mv: membershipVersion,
      last: lastMessageId,
      members: new Map([...staysByUser].map(([user, all]) => [user, { stays: all }])),
    };
  }

  /** Returns the part of a user's actor with the single copies, after `takeMembershipsOfStream` of all streams. */
  takeSingleCopiesPartOfUser(user: number): Record<string, Json> {
    const ids = this.#singleCopyMessageIdsByUserId.get(user);
    this.#singleCopyMessageIdsByUserId.delete(user);
    return ids ? encodeMarkedMessageIdsPart('copied', IdSet.fromIds(ids)) : {};
  }
}
