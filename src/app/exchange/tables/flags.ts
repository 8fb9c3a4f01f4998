/**
 * Flags of messages: the bits of zerver_usermessage, and the read state that users' actors keep instead of rows. Each
 * origin (a stream, or all direct messages) has a mark up to which all messages are read, and two sets of exceptions.
 * This file finds the mark and the exceptions while messages come in the order of their ids.
 */
import { IdSet, type Json } from '#base';
import { encodeMarkedMessageIdsPart, encodeOriginReadStatePart, type MessageMarkName } from '#domain/messages';

/** Bits of `flags_mask`. Other bits are unused, or have a meaning only for the exporting server. */
export const EXPORTED_MESSAGE_FLAG_BITS = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  wildcard_mentioned: 16,
  /** Of newer servers; older ones used the bit for a feature that has ended. */
  topic_wildcard_mentioned: 32,
  has_alert_word: 512,
  historical: 1024,
  is_private: 2048,
} as const;

/** Maximum number of unread messages at the end of an origin that become exceptions when a newer message is read. */
const MAX_UNREAD_IDS_FOLDED_BELOW_MARK = 64;

class OriginReadStateBuilder {
  #readUpToId = 0;
  /** Message ids below the mark that are unread. */
  readonly #unreadIdsBelowMark: number[] = [];
  /** Message ids above the mark that are read. */
  readonly #readIdsAboveMark: number[] = [];
  /** Message ids above the mark that are unread, as long as there are few. */
  #unreadIdsAboveMarkWhileFew: number[] = [];
  #unreadCountAboveMark = 0;

  addMessageInOrder(id: number, read: boolean): void {
    if (!read) {
      this.#unreadCountAboveMark++;
      if (this.#unreadIdsAboveMarkWhileFew.length <= MAX_UNREAD_IDS_FOLDED_BELOW_MARK)
        this.#unreadIdsAboveMarkWhileFew.push(id);
    } else if (this.#unreadCountAboveMark <= MAX_UNREAD_IDS_FOLDED_BELOW_MARK) {
      this.#unreadIdsBelowMark.push(...this.#unreadIdsAboveMarkWhileFew);
      this.#unreadIdsAboveMarkWhileFew = [];
      this.#unreadCountAboveMark = 0;
      this.#readIdsAboveMark.length = 0;
      this.#readUpToId = id;
    } else this.#readIdsAboveMark.push(id);
  }

  encodeReadStatePart(origin: number): Record<string, Json> {
    if (this.#readUpToId === 0 && this.#readIdsAboveMark.length === 0) return {};
    return encodeOriginReadStatePart(origin, {
      mark: this.#readUpToId,
      read: IdSet.fromIds(this.#readIdsAboveMark),
      unread: IdSet.fromIds(this.#unreadIdsBelowMark),
    });
  }
}

/** Read state and marks of all users. */
export class ImportedReadStatesAndMarks {
  /** Read states by origin, and within one by user: an array, because a message has rows of many users. */
  readonly #readStateByOriginAndUser = new Map<number, (OriginReadStateBuilder | undefined)[]>();
  readonly #markedIdsByUserAndMark = new Map<number, Map<MessageMarkName, number[]>>();

  addMessageReadState(user: number, origin: number, id: number, read: boolean): void {
    let users = this.#readStateByOriginAndUser.get(origin);
    if (!users) {
      users = [];
      this.#readStateByOriginAndUser.set(origin, users);
    }
    let reading = users[user];
    if (!reading) {
      reading = new OriginReadStateBuilder();
      users[user] = reading;
    }
    reading.addMessageInOrder(id, read);
  }

  addMarkedMessage(user: number, name: MessageMarkName, id: number): void {
    let marks = this.#markedIdsByUserAndMark.get(user);
    if (!marks) {
      marks = new Map();
      this.#markedIdsByUserAndMark.set(user, marks);
    }
    const ids = marks.get(name);
    if (ids) ids.push(id);
    else marks.set(name, [id]);
  }

  /** Returns the parts of a user's actor with the read state. */
  encodePartsOfUser(user: number): Record<string, Json> {
    const parts: Record<string, Json> = {};
    for (const [origin, users] of this.#readStateByOriginAndUser) {
      const reading = users[user];
      if (reading) Object.assign(parts, reading.encodeReadStatePart(origin));
    }
    for (const [name, ids] of this.#markedIdsByUserAndMark.get(user) ?? [])
      Object.assign(parts, encodeMarkedMessageIdsPart(name, IdSet.fromIds(ids)));
    return parts;
  }
}
