/**
 * Limits how many actors of a kind one owner has, passivated ones included (ActorKindDefinition.quota). The host of the
 * owner's partition checks the limit, because all actors of the owner live there.
 */
import type { ActorKey } from '#model';

/** The quota of one kind, with its limit. */
export interface ActorKindQuota {
  readonly limit: number;
  ownerOf(key: ActorKey): string;
}

interface ActorQuotaPorts {
  /** Returns the quota of the key's kind of actor; undefined if there is no limit. */
  quotaOf(key: ActorKey): ActorKindQuota | undefined;
  /** True if a client is using the actor right now. */
  isBusy(key: ActorKey): boolean;
  endActor(key: ActorKey): Promise<unknown>;
}

export class ActorQuotas {
  /** Owner → the owner's actors in the order of their last writes, least recent first. */
  readonly #actorKeysByOwner = new Map<string, Set<ActorKey>>();
  /** Actors to which an end command is under way: they no longer count, though they may be written once more. */
  readonly #actorKeysBeingEnded = new Set<ActorKey>();

  constructor(private readonly ports: ActorQuotaPorts) {}

  /**
   * Records that the actor was created or written. Beyond the limit, ends the owner's actor that was written least
   * recently.
   */
  recordWrite(key: ActorKey): void {
    const quota = this.ports.quotaOf(key);
    if (quota === undefined || this.#actorKeysBeingEnded.has(key)) return;
    const owner = quota.ownerOf(key);
    const known = this.#actorKeysByOwner.get(owner);
    if (!known) {
      this.#actorKeysByOwner.set(owner, new Set([key]));
      return;
    }
    known.delete(key);
    known.add(key);
    while (known.size > quota.limit) {
      const longest = this.#findLongestUnwritten(known, key);
      if (longest === undefined) return;
      known.delete(longest);
      this.#endActor(longest);
    }
  }

  /**
   * Finds the actor, other than `written`, that was written least recently and that no client uses; if clients use all
   * of them, the least recently written one.
   */
  #findLongestUnwritten(known: ReadonlySet<ActorKey>, written: ActorKey): ActorKey | undefined {
    let first: ActorKey | undefined;
    for (const key of known) {
      if (key === written) continue;
      if (!this.ports.isBusy(key)) return key;
      first ??= key;
    }
    return first;
  }

  /** Ends an actor. If the end fails, the actor counts again after its next write. */
  #endActor(key: ActorKey): void {
    this.#actorKeysBeingEnded.add(key);
    const settled = (): void => void this.#actorKeysBeingEnded.delete(key);
    this.ports.endActor(key).then(settled, settled);
  }

  /** Removes an actor that has ended. */
  forgetEndedActor(key: ActorKey): void {
    const owner = this.ports.quotaOf(key)?.ownerOf(key);
    const known = owner === undefined ? undefined : this.#actorKeysByOwner.get(owner);
    if (owner === undefined || !known) return;
    known.delete(key);
    if (known.size === 0) this.#actorKeysByOwner.delete(owner);
  }

  /** Removes the actors that `which` selects: those of partitions that this host has lost. */
  forgetActorsWhere(which: (key: ActorKey) => boolean): void {
    for (const [owner, known] of this.#actorKeysByOwner) {
      for (const key of known) if (which(key)) known.delete(key);
      if (known.size === 0) this.#actorKeysByOwner.delete(owner);
    }
  }
}
