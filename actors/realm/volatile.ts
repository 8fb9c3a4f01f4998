/**
 * Memory of a realm actor beside its state: the next message id, space reserved by uploads, the number of humans,
 * pending data exports, and indexes of unique names. Only the reservations cannot be rebuilt from the state; they
 * expire after a minute.
 */

import { foldNameAsShown } from '#base';
import { foldStreamNameCase } from '#directory';
import { SYSTEM_BOT_IDS_BY_EMAIL } from '#domain/people';
import type { DirectoryUser } from '#model/records';
import { PendingDataExports } from './data-exports.js';
import { type ActorParts, listStreamRecords, listUserRecords, type RealmActorState } from './state.js';

/** Longest time that an upload takes, ms; the space reserved for a failed upload is free after it. */
const UPLOAD_RESERVATION_LIFETIME_MS = 60_000;

export class RealmMemoryState {
  nextMessageId: number;
  /**
   * True while the partition is being handed over: message ids are then reserved without a block, so that none is
   * skipped.
   */
  isPartitionDraining = false;
  /** Space reserved for running uploads, by number of the uploaded file. */
  readonly #spaceReservationByFileNumber = new Map<number, { readonly bytes: number; readonly until: number }>();
  /** Number of active human accounts. */
  activeHumanCount = 0;
  readonly dataExports: PendingDataExports;
  readonly #userIdByEmail = new Map<string, number>();
  readonly #streamIdByName = new Map<string, number>();
  /** The same streams by the form of `foldNameAsShown`; of streams that look alike, one. */
  readonly #streamIdByNameAsShown = new Map<string, number>();

  constructor(state: RealmActorState, parts: ActorParts) {
    this.nextMessageId = state.reservedIds + 1;
    this.dataExports = new PendingDataExports(parts);
    this.#indexDirectoryRecords(parts);
  }

  /** Rebuilds indexes and counts from the parts, after an outcome was taken back. Message ids and reservations stay. */
  rebuildIndexesAndCounts(parts: ActorParts): void {
    this.activeHumanCount = 0;
    this.#userIdByEmail.clear();
    this.#streamIdByName.clear();
    this.#indexDirectoryRecords(parts);
    this.dataExports.dropWithoutRecord(parts);
  }

  #indexDirectoryRecords(parts: ActorParts): void {
    for (const [email, id] of SYSTEM_BOT_IDS_BY_EMAIL) this.indexUserEmails(id, email);
    for (const user of listUserRecords(parts)) {
      this.indexUserEmails(user.id, user.email, user.deliveryEmail);
      this.adjustActiveHumanCount(undefined, user);
    }
    for (const stream of listStreamRecords(parts)) if (!stream.archived) this.indexStreamName(stream.id, stream.name);
  }

  reserveUploadSpace(id: number, bytes: number, now: number): void {
    this.#spaceReservationByFileNumber.set(id, { bytes, until: now + UPLOAD_RESERVATION_LIFETIME_MS });
  }

  releaseUploadSpace(id: number): void {
    this.#spaceReservationByFileNumber.delete(id);
  }

  /** Number of bytes reserved by running uploads. */
  dropExpiredAndSumReservedUploadBytes(now: number): number {
    let bytes = 0;
    for (const [id, one] of this.#spaceReservationByFileNumber) {
      if (one.until < now) this.#spaceReservationByFileNumber.delete(id);
      else bytes += one.bytes;
    }
    return bytes;
  }

  indexUserEmails(id: number, ...emails: string[]): void {
    for (const email of emails) this.#userIdByEmail.set(email.toLowerCase(), id);
  }

  /** Adjusts the number of humans for an account that is new or changed. */
  adjustActiveHumanCount(before: DirectoryUser | undefined, after: DirectoryUser): void {
    const counts = (user: DirectoryUser | undefined): number => (user?.isActive && user.botType === null ? 1 : 0);
    this.activeHumanCount += counts(after) - counts(before);
  }

  unindexEmail(email: string): void {
    this.#userIdByEmail.delete(email.toLowerCase());
  }

  indexStreamName(id: number, name: string): void {
    this.#streamIdByName.set(foldStreamNameCase(name), id);
    this.#streamIdByNameAsShown.set(foldNameAsShown(name), id);
  }

  /** Frees a stream's name, unless another stream has taken it. */
  freeStreamName(id: number, name: string): void {
    if (this.#streamIdByName.get(foldStreamNameCase(name)) === id)
      this.#streamIdByName.delete(foldStreamNameCase(name));
    if (this.#streamIdByNameAsShown.get(foldNameAsShown(name)) === id)
      this.#streamIdByNameAsShown.delete(foldNameAsShown(name));
  }

  /** Finds the account with this API e-mail or real address, ignoring case. */
  findUserIdByEmail(email: string): number | undefined {
    return this.#userIdByEmail.get(email.toLowerCase());
  }

  /** Ids of streams that are not archived. */
  listUnarchivedStreamIds(): Iterable<number> {
    return this.#streamIdByName.values();
  }

  /** Finds a stream whose name looks like this one, ignoring case and invisible characters. */
  findStreamIdByNameAsShown(name: string): number | undefined {
    return this.#streamIdByNameAsShown.get(foldNameAsShown(name));
  }

  findStreamIdByName(name: string): number | undefined {
    return this.#streamIdByName.get(foldStreamNameCase(name));
  }
}
