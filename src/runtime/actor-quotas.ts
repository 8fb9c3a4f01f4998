/**
 * How many event queues one account has here, those that rest included: all of an account are on one partition. One more than
 * it may have ends the one that was longest without a sign of life, for whoever registers in a loop must not lock the account's
 * other clients out.
 */
import type { ActorKey } from '../core/index.js';

interface CrowdsOwner {
  /** Its client waits for an answer at this moment. */
  busy(key: ActorKey): boolean;
  end(key: ActorKey): Promise<unknown>;
}

export class ActorQuotas {
  /** Account → its queues, in the order of their last writes: least recent first. */
  readonly #queues = new Map<string, ActorKey[]>();
  /** They count no longer, and may be written once more. */
  readonly #ending = new Set<ActorKey>();

  constructor(
    private readonly most: number,
    private readonly owner: CrowdsOwner,
  ) {}

  /** A queue was made, or its client has shown itself. */
  seen(key: ActorKey): void {
    const account = accountOf(key);
    if (account === undefined || this.#ending.has(key)) return;
    const known = this.#queues.get(account);
    if (!known) {
      this.#queues.set(account, [key]);
      return;
    }
    remove(known, key);
    known.push(key);
    while (known.length > this.most) {
      const others = known.slice(0, -1);
      const longest = others.find((other) => !this.owner.busy(other)) ?? others[0];
      if (longest === undefined) return;
      remove(known, longest);
      this.#end(longest);
    }
  }

  /** One that could not be ended counts again when it is next seen. */
  #end(key: ActorKey): void {
    this.#ending.add(key);
    const over = (): void => void this.#ending.delete(key);
    this.owner.end(key).then(over, over);
  }

  gone(key: ActorKey): void {
    const account = accountOf(key);
    const known = account === undefined ? undefined : this.#queues.get(account);
    if (!known) return;
    remove(known, key);
    if (known.length === 0) this.#queues.delete(account!);
  }

  drop(which: (key: ActorKey) => boolean): void {
    for (const [account, known] of this.#queues) {
      const left = known.filter((key) => !which(key));
      if (left.length > 0) this.#queues.set(account, left);
      else this.#queues.delete(account);
    }
  }
}

/** `queue/<realm>/<user>`; undefined: no queue. */
const accountOf = (key: ActorKey): string | undefined =>
  key.startsWith('queue/') ? key.slice(0, key.lastIndexOf('/')) : undefined;

function remove(keys: ActorKey[], key: ActorKey): void {
  const at = keys.indexOf(key);
  if (at >= 0) keys.splice(at, 1);
}
