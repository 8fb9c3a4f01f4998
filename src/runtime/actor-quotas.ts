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
  readonly #actorKeysByOwner = new Map<string, ActorKey[]>();
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
      this.#actorKeysByOwner.set(owner, [key]);
      return;
    }
    removeKeyFromArray(known, key);
    known.push(key);
    while (known.length > quota.limit) {
      const others = known.slice(0, -1);
      const longest = others.find((other) => !this.ports.isBusy(other)) ?? others[0];
      if (longest === undefined) return;
      removeKeyFromArray(known, longest);
      this.#endActor(longest);
    }
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
    removeKeyFromArray(known, key);
    if (known.length === 0) this.#actorKeysByOwner.delete(owner);
  }

  /** Removes the actors that `which` selects: those of partitions that this host has lost. */
  forgetActorsWhere(which: (key: ActorKey) => boolean): void {
    for (const [owner, known] of this.#actorKeysByOwner) {
      const left = known.filter((key) => !which(key));
      if (left.length > 0) this.#actorKeysByOwner.set(owner, left);
      else this.#actorKeysByOwner.delete(owner);
    }
  }
}

function removeKeyFromArray(keys: ActorKey[], key: ActorKey): void {
  const at = keys.indexOf(key);
  if (at >= 0) keys.splice(at, 1);
}
