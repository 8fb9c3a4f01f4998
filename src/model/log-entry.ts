/**
 * The shape of log entries: what actors append, and what directory replicas and event queues read.
 *
 * An entry holds the events of one or more commits of one actor. Appending may be repeated (unknown outcomes, redone
 * outboxes), so readers drop groups of an actor that they have seen; (version, part) only grows along the log.
 */

import type { JsonObject } from '#base';
import type { ActorKey } from './ids.js';

/**
 * Who gets an event, fixed at commit: replay never consults present membership or roles. A user gets it who is in
 * `users`, or was a member of `stream` at membership version `mv`, or has a copy of the message `copyOf` from a stay in
 * `stream`, or of a message that was `moved`, or held a role of at most `role` at realm version `rv`; and is not in `except`, and fits `neverIn`.
 */
export interface Audience {
  readonly users?: readonly number[];
  readonly stream?: number;
  readonly mv?: number;
  /** With `mv`: also users whose membership of `stream` had ended by then. They go on having it in `unsubscribed`. */
  readonly former?: true;
  /** Only users who at this version of the stream were no members, and never had been. */
  readonly neverIn?: { readonly stream: number; readonly mv: number };
  /** Id of a message that was sent to `stream`. */
  readonly copyOf?: number;
  readonly moved?: MovedCopies;
  /** 100 … 600; 600 = everybody in the realm. Needs `rv`. */
  readonly role?: number;
  /** With `role`: only roles weaker than this one. */
  readonly weakerThan?: number;
  readonly rv?: number;
  readonly except?: readonly number[];
  /** Besides the others: queues registered with all_public_streams, of users who are no guests at `rv`. */
  readonly publicStream?: boolean;
}

/** A message that went from stream to stream: who has it follows from who was subscribed where. */
export interface MovedCopies {
  readonly id: number;
  /** Stream to which it was sent. */
  readonly home: number;
  /** Oldest first. */
  readonly moves: readonly {
    readonly from: number;
    /** Membership versions. */
    readonly fromMv: number;
    readonly to: number;
    readonly toMv: number;
    readonly gained: boolean;
  }[];
}

/** An event as every recipient sees it, without its id. */
export interface PlainItem {
  readonly t: 'event';
  readonly to: Audience;
  readonly event: JsonObject;
  /** What shaping the event for a client's capabilities needs; never sent. */
  readonly aux?: JsonObject;
  /** Only for queues whose client declared this capability, or (`has` false) did not. */
  readonly only?: { readonly capability: 'bulk_message_deletion'; readonly has: boolean };
  /** Fields that differ by recipient, resolved when the event is delivered (delivery/recipient-fields.ts). */
  readonly own?: RecipientPart;
}

/** Parts of an event that differ from user to user, and that are too many to be written into the log. */
export type RecipientPart =
  /** `flags` of the recipient on this message. */
  | { readonly of: 'flags'; readonly message: number }
  /** `bot`: a bot, or fields of one, with what is secret in it sealed; the log holds no secret in clear. */
  | { readonly of: 'bot'; readonly bot: JsonObject }
  /** `messages`: ids that this change of read state has made read. */
  | ReadRange;

/** Most ids that an event of one slice lists (architecture/domain.md § Read state). */
export const READ_IDS_PER_EVENT = 5_000;

export interface ReadRange {
  readonly of: 'read';
  /** Stream to which they were sent; 0 = direct messages. */
  readonly home: number;
  /** Above the first id, up to the second. */
  readonly above: number;
  readonly to: number;
  /** Ids in the range that were read before, and older ones that were not; as IdSet encodes them. */
  readonly read: Uint8Array;
  readonly unread: Uint8Array;
  /** Messages that are in this stream now, whatever their home: only these. 0 = all. */
  readonly stream: number;
  /** A large range is spread over several events: this is the n-th slice, from 0, and whether it takes all the rest. */
  readonly slice: number;
  readonly last: boolean;
}

/** A message event: rendered for each kind of client when it is delivered. */
export interface MessageItem {
  readonly t: 'message';
  readonly to: Audience;
  /** Neutral message: both contents, no flags; see messages/present.ts. */
  readonly message: JsonObject;
  /** Flags that not everybody has: user id → flags. */
  readonly flags: { readonly [user: string]: readonly string[] };
  /** Mentions everybody who gets it. */
  readonly wildcard?: true;
  /** The first message ever of its stream: directory replicas take its id from here, in log order. */
  readonly first?: true;
  /** The sender's own queue gets its local id back. */
  readonly local?: { readonly queue: string; readonly id: string };
}

/** Change of a stream's membership, in force from membership version `mv`. */
export interface MembershipItem {
  readonly t: 'members';
  readonly stream: number;
  readonly mv: number;
  /** Id of the newest message sent before; 0 = none. */
  readonly last: number;
  /** Those who join have the messages above this id, too, which came before; absent: only what comes. */
  readonly after?: number;
  readonly join: readonly number[];
  readonly leave: readonly number[];
  /** Of those who join: bots that get no copies. */
  readonly silent?: readonly number[];
}

/** Change of the realm's directory, for replicas. */
export interface DirectoryItem {
  readonly t: 'directory';
  readonly change: JsonObject;
}

/**
 * Messages go from one stream to another in several commits. Between the first item and the one with `done` readers of the
 * Store find some of them here and some there; the event of the move stands beside the first.
 */
export interface MovingItem {
  readonly t: 'carrying';
  readonly from: number;
  readonly to: number;
  readonly done: boolean;
}

export type LogItem = PlainItem | MessageItem | MembershipItem | DirectoryItem | MovingItem;

export interface LogGroup {
  /** Version of the actor whose commit these items belong to. */
  readonly v: number;
  /** Counts the pieces of a commit that was too large for one entry, from 0. */
  readonly p: number;
  readonly items: readonly LogItem[];
}

export interface LogEntry {
  readonly actor: ActorKey;
  readonly groups: readonly LogGroup[];
}

/** Most events one entry may hold: the slots 0-4095 of its position (architecture/delivery.md § Event ids). */
export const MAX_ITEMS = 4000;
/** Entries are split near this many bytes of JSON-ish size. */
export const MAX_ENTRY_BYTES = 400 * 1024;

/**
 * Weight of the largest item: with the entry around it, it fits into what the log can carry (NATS: 1 MiB). The longest HTML
 * of a message does, but for text that is not ASCII; that of an edit, which has both texts, does not.
 */
export const MAX_ITEM_BYTES = 1_008 * 1024;

/** Per realm: forgets nothing that may still be repeated, at one number per actor. */
export class LogDeduplicator {
  readonly #seen = new Map<string, number>();

  /** True the first time; false for a repeat. */
  isNew(actor: ActorKey, group: LogGroup): boolean {
    const n = group.v * 4096 + group.p;
    const last = this.#seen.get(actor);
    if (last !== undefined && n <= last) return false;
    this.#seen.set(actor, n);
    return true;
  }

  /** It, or a later one of this actor, was seen. */
  hasSeen(actor: ActorKey, group: LogGroup): boolean {
    return group.v * 4096 + group.p <= (this.#seen.get(actor) ?? -1);
  }

  version(actor: ActorKey): number {
    return Math.floor((this.#seen.get(actor) ?? 0) / 4096);
  }
}
