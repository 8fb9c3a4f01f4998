/**
 * Flags of messages: the bits of zerver_usermessage, and the read state that users' actors keep instead of rows. Each
 * origin (a stream, or all direct messages) has a mark up to which all messages are read, and two sets of exceptions.
 * This file finds the mark and the exceptions while messages come in the order of their ids.
 */
import { IdSet, type Json } from '#base';
import { encodeMarkedMessageIds, encodeOriginReadState, type MessageMarkName } from '#domain/messages';

/** Bits of `flags_mask`. Other bits are unused, or have a meaning only for the exporting server. */
export const EXPORTED_MESSAGE_FLAG_BITS = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  wildcard_mentioned: 16,
  has_alert_word: 512,
  historical: 1024,
  is_private: 2048,
} as const;

/** Maximum number of unread messages at the end of an origin that become exceptions when a newer message is read. */
const MAX_FOLDED_UNREAD_IDS = 64;

class OriginReadStateBuilder {
  #mark = 0;
  /** Message ids below the mark that are unread. */
  readonly #unreadIds: number[] = [];
  /** Message ids above the mark that are read. */
  readonly #readIds: number[] = [];
  /** Message ids above the mark that are unread, as long as there are few. */
  #unreadTailIds: number[] = [];
  #tailCount = 0;

  add(id: number, read: boolean): void {
    if (!read) {
      this.#tailCount++;
      if (this.#unreadTailIds.length <= MAX_FOLDED_UNREAD_IDS) this.#unreadTailIds.push(id);
    } else if (this.#tailCount <= MAX_FOLDED_UNREAD_IDS) {
      this.#unreadIds.push(...this.#unreadTailIds);
      this.#unreadTailIds = [];
      this.#tailCount = 0;
      this.#readIds.length = 0;
      this.#mark = id;
    } else this.#readIds.push(id);
  }

  encode(origin: number): Record<string, Json> {
    if (this.#mark === 0 && this.#readIds.length === 0) return {};
    return encodeOriginReadState(origin, {
      mark: this.#mark,
      read: IdSet.of(this.#readIds),
      unread: IdSet.of(this.#unreadIds),
    });
  }
}

/** Read state and marks of all users. */
export class ImportedUserMarks {
  readonly #readStatesByUser = new Map<number, Map<number, OriginReadStateBuilder>>();
  readonly #markedIdsByUser = new Map<number, Map<MessageMarkName, number[]>>();

  addMessage(user: number, origin: number, id: number, read: boolean): void {
    let origins = this.#readStatesByUser.get(user);
    if (!origins) {
      origins = new Map();
      this.#readStatesByUser.set(user, origins);
    }
    let reading = origins.get(origin);
    if (!reading) {
      reading = new OriginReadStateBuilder();
      origins.set(origin, reading);
    }
    reading.add(id, read);
  }

  addMark(user: number, name: MessageMarkName, id: number): void {
    let marks = this.#markedIdsByUser.get(user);
    if (!marks) {
      marks = new Map();
      this.#markedIdsByUser.set(user, marks);
    }
    const ids = marks.get(name);
    if (ids) ids.push(id);
    else marks.set(name, [id]);
  }

  /** Returns the parts of a user's actor with the read state. */
  partsOf(user: number): Record<string, Json> {
    const parts: Record<string, Json> = {};
    for (const [origin, reading] of this.#readStatesByUser.get(user) ?? [])
      Object.assign(parts, reading.encode(origin));
    for (const [name, ids] of this.#markedIdsByUser.get(user) ?? [])
      Object.assign(parts, encodeMarkedMessageIds(name, IdSet.of(ids)));
    return parts;
  }
}
