/**
 * Format of log entries. Actors append them; directory replicas and event queues read them.
 *
 * An entry holds the events of one or more commits of one actor. An entry may be appended twice (unknown outcomes,
 * redone outboxes), so readers drop groups that they have seen: along the log, (version, piece) of an actor only grows.
 */

import type { JsonObject } from '#base';
import type { ActorKey } from './ids.js';

/**
 * Recipients of an event, fixed at commit: replay never reads present memberships or roles. A user is a recipient if
 * the user
 * - is in `users`,
 * - or was a member of `stream` at membership version `mv`,
 * - or received the message `copyOf` as a member of `stream` at that time, or received a message that was `moved`,
 * - or had a copy of the message `lostByMove` until its last move,
 * - or had a role of at most `role` at realm version `rv`,
 * - or had access to `publicStream`.
 *
 * Users in `except` are not recipients.
 */
export interface EventAudience {
  readonly users?: readonly number[];
  readonly stream?: number;
  readonly mv?: number;
  /** Id of a message sent to `stream`: the users who received that message are recipients. */
  readonly copyOf?: number;
  readonly moved?: MovedMessageCopies;
  /** A moved message: the users who had a copy of it before its last move, and have none after it, are recipients. */
  readonly lostByMove?: MovedMessageCopies;
  /** Weakest role of recipients, 100 … 600; 600: all users of the realm. Needs `rv`. */
  readonly role?: number;
  /** Restricts `role` to users with a weaker role than this one. */
  readonly weakerThan?: number;
  readonly rv?: number;
  readonly except?: readonly number[];
  /**
   * True if event queues registered with all_public_streams also get the event, for users who are not guests at `rv`.
   */
  readonly publicStream?: boolean;
}

/** A message that was moved between streams. The subscribers of each stream at each move decide who has the message. */
export interface MovedMessageCopies {
  readonly id: number;
  /** Stream to which the message was originally sent. */
  readonly home: number;
  /** Moves between streams, oldest first. */
  readonly moves: readonly {
    readonly from: number;
    /**
     * Membership version of the stream that the message left, at the time of the move; `toMv` is that of the new
     * stream.
     */
    readonly fromMv: number;
    readonly to: number;
    readonly toMv: number;
    readonly gained: boolean;
    readonly closed?: boolean;
  }[];
}

/** An event without its id, the same for all recipients except for the fields of `own`. */
export interface EventLogItem {
  readonly t: 'event';
  readonly to: EventAudience;
  readonly event: JsonObject;
  /** Data by which the event is adapted to the capabilities of a client; never sent to clients. */
  readonly aux?: JsonObject;
  /**
   * Capability by which event queues are selected: the event goes only to queues whose client declared the capability
   * or, with `has` false, did not declare it.
   */
  readonly only?: { readonly capability: 'bulk_message_deletion'; readonly has: boolean };
  /** Lowest API level of the event queues that get the event; absent: all queues. */
  readonly sinceLevel?: number;
  /**
   * Rule for the fields that differ by recipient, applied when the event is delivered (delivery/recipient-fields.ts).
   */
  readonly own?: RecipientFieldRule;
}

/**
 * Rule for the part of an event that differs between recipients. The log has one rule instead of one value per
 * recipient.
 */
export type RecipientFieldRule =
  /** The event gets the recipient's `flags` on this message. */
  | { readonly of: 'flags'; readonly message: number }
  /** The event gets the fields of a bot with its secrets decrypted, because the log holds them encrypted. */
  | { readonly of: 'bot'; readonly bot: JsonObject }
  /** The event gets `messages`: ids of the messages that became read. */
  | ReadMessageIdRange;

/** Maximum number of ids in the event of one slice of a read range (architecture/domain.md § Read state). */
export const MAX_READ_IDS_PER_EVENT = 5_000;

/** Messages that became read together: a range of ids, resolved for the recipient when the event is delivered. */
export interface ReadMessageIdRange {
  readonly of: 'read';
  /** Stream to which the messages were originally sent; 0: direct messages. */
  readonly home: number;
  /** Lower bound: the range has the message ids above `above`, up to `to`. */
  readonly above: number;
  readonly to: number;
  /** Two encoded IdSets: ids in the range that were read before, and older ids that were unread. */
  readonly read: Uint8Array;
  readonly unread: Uint8Array;
  /** Restricts the range to messages that are in this stream now, whatever their `home`; 0: no restriction. */
  readonly stream: number;
  /**
   * Number of this slice, from 0: a large range makes several events. `last` is true for the slice that takes all
   * remaining ids.
   */
  readonly slice: number;
  readonly last: boolean;
}

/** A message event, shaped for each kind of client at delivery. */
export interface MessageLogItem {
  readonly t: 'message';
  readonly to: EventAudience;
  /** The message with both contents (Markdown and HTML), without flags. */
  readonly message: JsonObject;
  /** Flags that only some recipients have, by user id. */
  readonly flags: { readonly [user: string]: readonly string[] };
  /** True if the message mentions all recipients. */
  readonly wildcard?: true;
  /** True for the first message of its stream; directory replicas take the stream's first message id from this item. */
  readonly first?: true;
  /** Event queue of the sending client, and the local id of the message that its event repeats. */
  readonly local?: { readonly queue: string; readonly id: string };
}

/** Change of a stream's membership, in force from membership version `mv`. */
export interface MembershipLogItem {
  readonly t: 'members';
  readonly stream: number;
  readonly mv: number;
  /** Id of the newest message in the stream before the change; 0: none. */
  readonly last: number;
  /** Message id above which users who join also get earlier messages; absent: they get only later messages. */
  readonly after?: number;
  readonly join: readonly number[];
  readonly leave: readonly number[];
  /** Bots among the joining users that receive no messages. */
  readonly silent?: readonly number[];
  /** True if the users join again after their accounts were deactivated. */
  readonly resumed?: true;
  /** True if the users leave because their accounts were deactivated. */
  readonly suspended?: true;
}

/** A change of the realm's directory, for its replicas. */
export interface DirectoryLogItem {
  readonly t: 'directory';
  readonly change: JsonObject;
}

/**
 * Progress of a move of messages that takes several commits. Between the first such item and the one with `done`,
 * readers of the Store find some of the messages in the old stream and some in the new one. The event of the move is
 * beside the first item.
 */
export interface MessageMoveProgressLogItem {
  readonly t: 'carrying';
  readonly from: number;
  readonly to: number;
  readonly done: boolean;
}

export type LogItem = EventLogItem | MessageLogItem | MembershipLogItem | DirectoryLogItem | MessageMoveProgressLogItem;

export interface LogItemGroup {
  /** Version of the actor that the commit made; together with `p` it identifies the group. */
  readonly v: number;
  /** Number of this piece, from 0, of a commit that was too large for one log entry. */
  readonly p: number;
  readonly items: readonly LogItem[];
}

/** Kinds of items that a reader can't skip by audience alone. Bits, because a head has their sum. */
export const LOG_ENTRY_HEAD_FLAGS = {
  /** A change of the directory, or the first message of a stream. */
  directory: 1,
  /** Items that change which messages exist or who has them, other than new messages in streams. */
  messageChanges: 2,
  /** Items that an index of recent messages follows. */
  messages: 4,
  /** Changes on which deliveries depend: memberships of streams, and moves of messages that begin or end. */
  deliveryState: 8,
  /** An audience by role, or one that memberships and user ids don't describe: any user may be in it. */
  anyUser: 16,
  /** Queues registered with all_public_streams are in the audience. */
  allPublicStreams: 32,
} as const;

/** Facts of an entry by which a reader decides to skip it without decoding its items. */
export interface LogEntryHead {
  /** Sum of `LOG_ENTRY_HEAD_FLAGS`. */
  readonly flags: number;
  /** Users named by the audiences. */
  readonly users: readonly number[];
  /** Streams whose members are in the audiences, each followed by the membership version that decides. */
  readonly streams: readonly number[];
  /** The newest message sent to a stream: the stream and the message's id; empty if there is none. */
  readonly newestStreamMessage: readonly [] | readonly [stream: number, id: number];
}

export interface LogEntry {
  readonly actor: ActorKey;
  readonly groups: readonly LogItemGroup[];
  /** Present if the items are still encoded: a reader that skips the entry by its head saves their decoding. */
  readonly head?: LogEntryHead;
  /** The encoded entry, present with `head`. It is a part of a larger buffer: a reader that keeps it makes a copy. */
  readonly encodedBytes?: Uint8Array;
  /** Numbers of the first and the last group (`numberOfLogItemGroup`), present with `head` if the numbers ascend. */
  readonly firstGroupNumber?: number | undefined;
  readonly lastGroupNumber?: number | undefined;
}

/** An event beside the log. It has a head if it is still encoded. */
export interface TransientLogItem extends EventLogItem {
  readonly head?: LogEntryHead;
}

/** Groups of an entry that do not repeat earlier ones; undefined: all groups of the entry. */
export type FreshLogItemGroups = readonly LogItemGroup[] | undefined;

/**
 * Maximum number of events in a log entry: the slots 0-4095 of its position are for events (architecture/delivery.md §
 * Event ids).
 */
export const MAX_ITEMS_PER_LOG_ENTRY = 4000;
/** Size above which a log entry is split into several: bytes, estimated as JSON. */
export const LOG_ENTRY_SPLIT_BYTES = 400 * 1024;

/**
 * Maximum size of a log item, bytes: with the entry around it, the item fits into a message of the log (NATS: 1 MiB).
 * The longest HTML of a message fits if its text is ASCII. An edit has the old and the new HTML; both together may not
 * fit.
 */
export const MAX_LOG_ITEM_BYTES = 1_008 * 1024;

/** Number of a group: along the log, the numbers of an actor's groups only grow. */
export const numberOfLogItemGroup = ({ v, p }: Pick<LogItemGroup, 'v' | 'p'>): number => v * 4096 + p;

/** Detects repeated groups in the log of one realm; it keeps one number per actor. */
export class LogItemGroupDeduplicator {
  readonly #newestGroupNumberByActor = new Map<string, number>();

  /** Records the groups of an entry; those of an encoded entry stay undecoded if none of them is a repeat. */
  recordNewGroups(entry: LogEntry): FreshLogItemGroups {
    const { actor, firstGroupNumber, lastGroupNumber } = entry;
    if (firstGroupNumber !== undefined && lastGroupNumber !== undefined) {
      const last = this.#newestGroupNumberByActor.get(actor);
      if (last === undefined || last < firstGroupNumber) {
        this.#newestGroupNumberByActor.set(actor, lastGroupNumber);
        return undefined;
      }
    }
    const { groups } = entry;
    const fresh = groups.filter((group) => this.recordIfNew(actor, group));
    return fresh.length === groups.length ? undefined : fresh;
  }

  /** Returns true for a new group, which is then recorded; false for a repeat. */
  recordIfNew(actor: ActorKey, group: LogItemGroup): boolean {
    const n = numberOfLogItemGroup(group);
    const last = this.#newestGroupNumberByActor.get(actor);
    if (last !== undefined && n <= last) return false;
    this.#newestGroupNumberByActor.set(actor, n);
    return true;
  }

  /** True if this group, or a later one of the same actor, has been recorded. */
  hasRecordedThisOrLater(actor: ActorKey, group: LogItemGroup): boolean {
    return numberOfLogItemGroup(group) <= (this.#newestGroupNumberByActor.get(actor) ?? -1);
  }

  /** False if no group of this entry, and no later one of its actor, has been recorded. Decodes no groups. */
  mayHaveRecordedGroupOf({ actor, firstGroupNumber }: LogEntry): boolean {
    const last = this.#newestGroupNumberByActor.get(actor);
    return last !== undefined && (firstGroupNumber === undefined || firstGroupNumber <= last);
  }

  /** Version of the actor in the newest group that was recorded; 0 if there is none. */
  newestRecordedVersionOf(actor: ActorKey): number {
    return Math.floor((this.#newestGroupNumberByActor.get(actor) ?? 0) / 4096);
  }
}
