/**
 * Active accounts by name, ignoring case, for mentions: their ids sorted by name. A change of an account moves one id;
 * a map of 100,000 names would take 15 MB, and 60 ms after each change.
 */
import { memoizeByObject } from '#base';
import { toUserId, type UserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';

const foldedNameOf = (user: DirectoryUser): string => user.fullName.toLowerCase();

class ActiveUsersByName {
  #usersVersion = -1;
  /** Ids of active accounts, by folded name, then by id. */
  #ids: UserId[] = [];

  constructor(private readonly directory: DirectoryView) {}

  find(name: string): readonly DirectoryUser[] {
    this.#bringUpToDate();
    const folded = name.toLowerCase();
    const found: DirectoryUser[] = [];
    for (let at = this.#lowerBound(folded, 0); at < this.#ids.length; at++) {
      const user = this.directory.user(this.#ids[at]!)!;
      if (foldedNameOf(user) !== folded) break;
      found.push(user);
    }
    return found;
  }

  #bringUpToDate(): void {
    const { usersVersion } = this.directory;
    if (usersVersion === this.#usersVersion) return;
    const changed = this.directory.usersChangedSince(this.#usersVersion);
    this.#usersVersion = usersVersion;
    if (!changed) {
      this.#ids = this.#sortedIdsOfAll();
      return;
    }
    // All of them go first: an id whose name has changed is out of order.
    const stale = new Set(changed);
    this.#ids = this.#ids.filter((id) => !stale.has(id));
    for (const id of changed) {
      const user = this.directory.user(id);
      if (user?.isActive) this.#ids.splice(this.#lowerBound(foldedNameOf(user), id), 0, id);
    }
  }

  #sortedIdsOfAll(): UserId[] {
    const named: { readonly id: UserId; readonly name: string }[] = [];
    for (const user of this.directory.users()) if (user.isActive) named.push({ id: user.id, name: foldedNameOf(user) });
    return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id)).map(({ id }) => id);
  }

  /** Index of the first account that does not come before this name and id. */
  #lowerBound(folded: string, id: number): number {
    let low = 0;
    let high = this.#ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#ids[middle]!;
      const name = foldedNameOf(this.directory.user(toUserId(other))!);
      if (name < folded || (name === folded && other < id)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const activeUsersByNameOf = memoizeByObject((directory: DirectoryView) => new ActiveUsersByName(directory));

/** Active accounts with this name, ignoring case, by id. */
export const activeUsersNamed = (directory: DirectoryView, name: string): readonly DirectoryUser[] =>
  activeUsersByNameOf(directory).find(name);
