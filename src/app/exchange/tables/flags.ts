/**
 * Flags of messages: the bits of zerver_usermessage, and the read state and marks that users' actors keep instead of
 * rows. An origin (a stream, or all direct messages) has a mark up to which all is read, and two sets of exceptions;
 * this file finds the mark and the exceptions while messages pass by in the order of their ids.
 */
import { IdSet, type Json } from '#base';
import { encodeMarkedIds, encodeReadState, type MarkName } from '#domain/messages';

/** Bits of `flags_mask`. The others are dead, or mean something only to the exporting server. */
export const FLAG_BITS = {
  read: 1,
  starred: 2,
  collapsed: 4,
  mentioned: 8,
  wildcard_mentioned: 16,
  has_alert_word: 512,
  historical: 1024,
  is_private: 2048,
} as const;

/** Number of unread messages at the end of an origin that become exceptions when a newer one turns out to be read. */
const MAX_FOLDED = 64;

class OriginReading {
  #mark = 0;
  /** Ids below the mark that are unread. */
  readonly #unread: number[] = [];
  /** Ids above the mark that are read. */
  readonly #read: number[] = [];
  /** Ids above the mark that are unread, as long as there are few. */
  #tail: number[] = [];
  #tailCount = 0;

  add(id: number, read: boolean): void {
    if (!read) {
      this.#tailCount++;
      if (this.#tail.length <= MAX_FOLDED) this.#tail.push(id);
    } else if (this.#tailCount <= MAX_FOLDED) {
      this.#unread.push(...this.#tail);
      this.#tail = [];
      this.#tailCount = 0;
      this.#read.length = 0;
      this.#mark = id;
    } else this.#read.push(id);
  }

  encode(origin: number): Record<string, Json> {
    if (this.#mark === 0 && this.#read.length === 0) return {};
    return encodeReadState(origin, {
      mark: this.#mark,
      read: IdSet.of(this.#read),
      unread: IdSet.of(this.#unread),
    });
  }
}

/** Read state and marks of all users. */
export class UserMarks {
  readonly #readings = new Map<number, Map<number, OriginReading>>();
  readonly #marks = new Map<number, Map<MarkName, number[]>>();

  read(user: number, origin: number, id: number, read: boolean): void {
    let origins = this.#readings.get(user);
    if (!origins) {
      origins = new Map();
      this.#readings.set(user, origins);
    }
    let reading = origins.get(origin);
    if (!reading) {
      reading = new OriginReading();
      origins.set(origin, reading);
    }
    reading.add(id, read);
  }

  mark(user: number, name: MarkName, id: number): void {
    let marks = this.#marks.get(user);
    if (!marks) {
      marks = new Map();
      this.#marks.set(user, marks);
    }
    const ids = marks.get(name);
    if (ids) ids.push(id);
    else marks.set(name, [id]);
  }

  /** The parts of a user's actor. */
  partsOf(user: number): Record<string, Json> {
    const parts: Record<string, Json> = {};
    for (const [origin, reading] of this.#readings.get(user) ?? []) Object.assign(parts, reading.encode(origin));
    for (const [name, ids] of this.#marks.get(user) ?? []) Object.assign(parts, encodeMarkedIds(name, IdSet.of(ids)));
    return parts;
  }
}
