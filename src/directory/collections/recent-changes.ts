/**
 * Counts the changes of a collection, and remembers the ids of the newest ones. Data derived from a collection, such as
 * encoded lists, can so be brought up to date by a few records, instead of being made again from 100,000.
 */
import type { ChangedIds } from '#model/records';

/** Number of changes that are remembered at least; older data is made again. */
const MIN_REMEMBERED_CHANGES = 1_024;

export class RecentChanges<Id> {
  #count = 0;
  /** Ids of the newest changes, oldest first; an id may be in it several times. */
  #newest: Id[] = [];

  get count(): number {
    return this.#count;
  }

  add(id: Id): void {
    this.#count++;
    this.#newest.push(id);
    if (this.#newest.length >= 2 * MIN_REMEMBERED_CHANGES) this.#newest = this.#newest.slice(-MIN_REMEMBERED_CHANGES);
  }

  /** Notes a change that may concern every record. */
  addChangeOfAll(): void {
    this.#count++;
    this.#newest = [];
  }

  /** Ids that changed after the count was `count`; undefined if these are unknown, so that any may have changed. */
  since(count: number): ChangedIds<Id> {
    const changes = this.#count - count;
    if (changes < 0 || changes > this.#newest.length) return undefined;
    return changes === 0 ? [] : [...new Set(this.#newest.slice(-changes))];
  }
}
