/**
 * Limits how many actors of a kind one owner has, passivated ones included (ActorKindDefinition.quota). The host of the
 * owner's partition checks the limit, because all actors of the owner live there.
 */
import type { ActorKey } from '#model';

/** The quota of one kind, with its limit. */
export interface ActorKindQuota {
  readonly limit: number;
  owner(key: ActorKey): string;
}

interface QuotaPorts {
  /** Returns the quota of the key's kind of actor; undefined if there is no limit. */
  quotaOf(key: ActorKey): ActorKindQuota | undefined;
  /** True if a client is using the actor right now. */
  isBusy(key: ActorKey): boolean;
  end(key: ActorKey): Promise<unknown>;
}

export class ActorQuotas {
  /** Owner → the owner's actors in the order of their last writes, least recent first. */
  readonly #actors = new Map<string, ActorKey[]>();
  /** Actors to which an end command is under way: they no longer count, though they may be written once more. */
  readonly #ending = new Set<ActorKey>();

  constructor(private readonly ports: QuotaPorts) {}

  /**
   * Records that the actor was created or written. Beyond the limit, ends the owner's actor that was written least
   * recently.
   */
  seen(key: ActorKey): void {
    const quota = this.ports.quotaOf(key);
    if (quota === undefined || this.#ending.has(key)) return;
    const owner = quota.owner(key);
    const known = this.#actors.get(owner);
    if (!known) {
      this.#actors.set(owner, [key]);
      return;
    }
    remove(known, key);
    known.push(key);
    while (known.length > quota.limit) {
      const others = known.slice(0, -1);
      const longest = others.find((other) => !this.ports.isBusy(other)) ?? others[0];
      if (longest === undefined) return;
      remove(known, longest);
      this.#end(longest);
    }
  }

  /** Ends an actor. If the end fails, the actor counts again after its next write. */
  #end(key: ActorKey): void {
    this.#ending.add(key);
    const settled = (): void => void this.#ending.delete(key);
    this.ports.end(key).then(settled, settled);
  }

  /** Removes an actor that has ended. */
  gone(key: ActorKey): void {
    const owner = this.ports.quotaOf(key)?.owner(key);
    const known = owner === undefined ? undefined : this.#actors.get(owner);
    if (owner === undefined || !known) return;
    remove(known, key);
    if (known.length === 0) this.#actors.delete(owner);
  }

  /** Removes the actors that `which` selects: those of partitions that this host has lost. */
  drop(which: (key: ActorKey) => boolean): void {
    for (const [owner, known] of this.#actors) {
      const left = known.filter((key) => !which(key));
      if (left.length > 0) this.#actors.set(owner, left);
      else this.#actors.delete(owner);
    }
  }
}

function remove(keys: ActorKey[], key: ActorKey): void {
  const at = keys.indexOf(key);
  if (at >= 0) keys.splice(at, 1);
}
