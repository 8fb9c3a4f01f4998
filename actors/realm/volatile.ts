/**
 * Memory of a realm actor beside its state: the next message id, space reserved by uploads, the number of humans, and
 * indexes of unique names. Only the reservations cannot be rebuilt from the state; they expire after a minute.
 */

import { foldStreamNameCase } from '#directory';
import { SYSTEM_BOT_IDS_BY_EMAIL } from '#domain/people';
import type { DirectoryUser } from '#model/records';
import { type ActorParts, listStreamRecords, listUserRecords, type RealmActorState } from './state.js';

/** Longest time that an upload takes, ms; the space reserved for a failed upload is free after it. */
const UPLOADING_MS = 60_000;

export class RealmMemoryState {
  nextId: number;
  /**
   * True while the partition is being handed over: message ids are then reserved without a block, so that none is
   * skipped.
   */
  draining = false;
  /** Space reserved for running uploads, by number of the uploaded file. */
  readonly #reservations = new Map<number, { readonly bytes: number; readonly until: number }>();
  /** Number of active human accounts. */
  humans = 0;
  readonly #emails = new Map<string, number>();
  readonly #streamNames = new Map<string, number>();

  constructor(state: RealmActorState, parts: ActorParts) {
    this.nextId = state.reservedIds + 1;
    this.#index(parts);
  }

  /** Rebuilds indexes and counts from the parts, after an outcome was taken back. Message ids and reservations stay. */
  rebuild(parts: ActorParts): void {
    this.humans = 0;
    this.#emails.clear();
    this.#streamNames.clear();
    this.#index(parts);
  }

  #index(parts: ActorParts): void {
    for (const [email, id] of SYSTEM_BOT_IDS_BY_EMAIL) this.addUser(id, email);
    for (const user of listUserRecords(parts)) {
      this.addUser(user.id, user.email, user.deliveryEmail);
      this.countHuman(undefined, user);
    }
    for (const stream of listStreamRecords(parts)) if (!stream.archived) this.addStream(stream.id, stream.name);
  }

  reserveSpace(id: number, bytes: number, now: number): void {
    this.#reservations.set(id, { bytes, until: now + UPLOADING_MS });
  }

  releaseSpace(id: number): void {
    this.#reservations.delete(id);
  }

  /** Number of bytes reserved by running uploads. */
  reservedSpace(now: number): number {
    let bytes = 0;
    for (const [id, one] of this.#reservations) {
      if (one.until < now) this.#reservations.delete(id);
      else bytes += one.bytes;
    }
    return bytes;
  }

  addUser(id: number, ...emails: string[]): void {
    for (const email of emails) this.#emails.set(email.toLowerCase(), id);
  }

  /** Adjusts the number of humans for an account that is new or changed. */
  countHuman(before: DirectoryUser | undefined, after: DirectoryUser): void {
    const counts = (user: DirectoryUser | undefined): number => (user?.isActive && user.botType === null ? 1 : 0);
    this.humans += counts(after) - counts(before);
  }

  removeEmail(email: string): void {
    this.#emails.delete(email.toLowerCase());
  }

  addStream(id: number, name: string): void {
    this.#streamNames.set(foldStreamNameCase(name), id);
  }

  /** Frees a stream's name, unless another stream has taken it. */
  freeStreamName(id: number, name: string): void {
    if (this.#streamNames.get(foldStreamNameCase(name)) === id) this.#streamNames.delete(foldStreamNameCase(name));
  }

  userByEmail(email: string): number | undefined {
    return this.#emails.get(email.toLowerCase());
  }

  /** Ids of streams that are not archived. */
  streams(): Iterable<number> {
    return this.#streamNames.values();
  }

  streamByName(name: string): number | undefined {
    return this.#streamNames.get(foldStreamNameCase(name));
  }
}
