/**
 * Flags of messages: the read state that users' actors keep instead of rows of zerver_usermessage. Each
 * origin (a stream, or all direct messages) has a mark up to which all messages are read, and two sets of exceptions.
 * This file finds the mark and the exceptions while messages come in the order of their ids, and keeps them in the form
 * in which they are stored: an import of a million messages has tens of millions of exceptions.
 */
import { AscendingIdSetEncoder, type Json } from '#base';
import { type MessageMarkName, makeMarkedMessageIdsPart, makeOriginReadStatePart } from '#domain/messages';

/** Maximum number of unread messages at the end of an origin that become exceptions when a newer message is read. */
const MAX_UNREAD_EXCEPTIONS_BELOW_RAISED_MARK = 64;
const NO_ENCODED_IDS = new Uint8Array();

class OriginReadStateBuilder {
  #readUpToId = 0;
  #unreadCountAboveMark = 0;
  /**
   * Message ids below the mark that are unread. Those above it are added, too, as long as there are few, and kept when
   * the mark rises above them.
   */
  #unreadIds: AscendingIdSetEncoder | undefined;
  /** Message ids above the mark that are read. */
  #readIdsAboveMark: AscendingIdSetEncoder | undefined;

  addMessageInOrder(id: number, read: boolean): void {
    if (!read) {
      this.#unreadCountAboveMark++;
      if (this.#unreadCountAboveMark <= MAX_UNREAD_EXCEPTIONS_BELOW_RAISED_MARK) {
        this.#unreadIds ??= new AscendingIdSetEncoder();
        this.#unreadIds.addId(id);
      } else if (this.#unreadCountAboveMark === MAX_UNREAD_EXCEPTIONS_BELOW_RAISED_MARK + 1)
        this.#unreadIds!.dropAddedIds();
    } else if (this.#unreadCountAboveMark <= MAX_UNREAD_EXCEPTIONS_BELOW_RAISED_MARK) {
      this.#unreadIds?.keepAddedIds();
      this.#unreadCountAboveMark = 0;
      this.#readUpToId = id;
    } else {
      this.#readIdsAboveMark ??= new AscendingIdSetEncoder();
      this.#readIdsAboveMark.addId(id);
    }
  }

  /**
   * Adds messages in the order of their ids.
   * @param rows bits of the messages with a row of the user
   * @param unread bits of the unread messages
   */
  addMessagesInOrder(ids: readonly number[], rows: number, unread: number): void {
    if (unread === 0 && this.#unreadCountAboveMark <= MAX_UNREAD_EXCEPTIONS_BELOW_RAISED_MARK) {
      // The last message raises the mark above the others.
      this.addMessageInOrder(ids[31 - Math.clz32(rows)]!, true);
      return;
    }
    for (const [i, id] of ids.entries())
      if (((rows >>> i) & 1) === 1) this.addMessageInOrder(id, ((unread >>> i) & 1) === 0);
  }

  /** Makes the part of a user's actor. No message may be added after that. */
  encodeReadStatePart(origin: number): Record<string, Json> {
    if (this.#readUpToId === 0 && !this.#readIdsAboveMark) return {};
    this.#unreadIds?.dropAddedIds();
    return makeOriginReadStatePart(
      origin,
      this.#readUpToId,
      this.#readIdsAboveMark?.encode() ?? NO_ENCODED_IDS,
      this.#unreadIds?.encode() ?? NO_ENCODED_IDS,
    );
  }
}

/** Read state and marks of all users. */
export class ImportedReadStatesAndMarks {
  /** Read states by origin, and within one by user: an array, because a message has rows of many users. */
  readonly #readStateByOriginAndUser = new Map<number, (OriginReadStateBuilder | undefined)[]>();
  readonly #markedIdsByUserAndMark = new Map<number, Map<MessageMarkName, AscendingIdSetEncoder>>();

  addMessageReadState(user: number, origin: number, id: number, read: boolean): void {
    this.#getOrMakeReadState(user, origin).addMessageInOrder(id, read);
  }

  /**
   * Adds messages in the order of their ids, at most 32.
   * @param rows bits of the messages with a row of the user; the lowest bit is that of the first message
   * @param unread bits of the unread messages
   */
  addMessageReadStates(user: number, origin: number, ids: readonly number[], rows: number, unread: number): void {
    this.#getOrMakeReadState(user, origin).addMessagesInOrder(ids, rows, unread);
  }

  #getOrMakeReadState(user: number, origin: number): OriginReadStateBuilder {
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
    return reading;
  }

  /** Adds a mark of a user. The ids of one user and mark ascend from call to call. */
  addMarkedMessage(user: number, name: MessageMarkName, id: number): void {
    let marks = this.#markedIdsByUserAndMark.get(user);
    if (!marks) {
      marks = new Map();
      this.#markedIdsByUserAndMark.set(user, marks);
    }
    let ids = marks.get(name);
    if (!ids) {
      ids = new AscendingIdSetEncoder();
      marks.set(name, ids);
    }
    ids.addId(id);
  }

  /** Returns the parts of a user's actor with the read state, and forgets the marks. */
  takePartsOfUser(user: number): Record<string, Json> {
    const parts: Record<string, Json> = {};
    for (const [origin, users] of this.#readStateByOriginAndUser) {
      const reading = users[user];
      if (!reading) continue;
      Object.assign(parts, reading.encodeReadStatePart(origin));
      users[user] = undefined;
    }
    for (const [name, ids] of this.#markedIdsByUserAndMark.get(user) ?? [])
      Object.assign(parts, makeMarkedMessageIdsPart(name, ids.encode()));
    this.#markedIdsByUserAndMark.delete(user);
    return parts;
  }
}
