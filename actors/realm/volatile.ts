/**
 * What a realm actor keeps beside its state: the next message id, and look-ups over its parts by what must be unique.
 * All of it can be made anew from the state.
 */

import { foldName } from '#directory';
import { SYSTEM_BOT_EMAILS } from '#domain/people';
import type { DirectoryUser } from '#model/records';
import { type Parts, type RealmState, streamsOf, usersOf } from './state.js';

/** An upload takes no longer; one that failed gives its space back then. */
const UPLOADING_MS = 60_000;

export class RealmVolatile {
  nextId: number;
  /** It hands its partition over: message ids that are taken until then are reserved one by one. */
  draining = false;
  /** Space that uploads under way will take, by the file's number. */
  readonly #reservations = new Map<number, { readonly bytes: number; readonly until: number }>();
  /** Active accounts of humans. */
  humans = 0;
  readonly #emails = new Map<string, number>();
  readonly #streamNames = new Map<string, number>();

  constructor(state: RealmState, parts: Parts) {
    this.nextId = state.reservedIds + 1;
    this.#index(parts);
  }

  /** As the state and the parts have it, whatever was noted since; message ids and uploads go on. */
  rebuild(parts: Parts): void {
    this.humans = 0;
    this.#emails.clear();
    this.#streamNames.clear();
    this.#index(parts);
  }

  #index(parts: Parts): void {
    for (const [email, id] of SYSTEM_BOT_EMAILS) this.addUser(id, email);
    for (const user of usersOf(parts)) {
      this.addUser(user.id, user.email, user.deliveryEmail);
      this.countHuman(undefined, user);
    }
    for (const stream of streamsOf(parts)) if (!stream.archived) this.addStream(stream.id, stream.name);
  }

  reserveSpace(id: number, bytes: number, now: number): void {
    this.#reservations.set(id, { bytes, until: now + UPLOADING_MS });
  }

  releaseSpace(id: number): void {
    this.#reservations.delete(id);
  }

  /** Bytes. */
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

  /** An account is new, or another than it was. */
  countHuman(before: DirectoryUser | undefined, after: DirectoryUser): void {
    const counts = (user: DirectoryUser | undefined): number => (user?.isActive && user.botType === null ? 1 : 0);
    this.humans += counts(after) - counts(before);
  }

  removeEmail(email: string): void {
    this.#emails.delete(email.toLowerCase());
  }

  addStream(id: number, name: string): void {
    this.#streamNames.set(foldName(name), id);
  }

  /** The name is free again; unless it is another stream's by now. */
  freeStreamName(id: number, name: string): void {
    if (this.#streamNames.get(foldName(name)) === id) this.#streamNames.delete(foldName(name));
  }

  userByEmail(email: string): number | undefined {
    return this.#emails.get(email.toLowerCase());
  }

  /** Ids of live streams. */
  streams(): Iterable<number> {
    return this.#streamNames.values();
  }

  streamByName(name: string): number | undefined {
    return this.#streamNames.get(foldName(name));
  }
}
