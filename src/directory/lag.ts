/** How far replicas are behind the end of their logs, looked at now and then. */
import type { RealmId, Seq } from '#model';
import type { EventLog } from '#ports/log';
import type { RealmTail } from './tail.js';

/** One look asks the log about so many realms at most; the others have their turn at the next. */
const MAX_LOOKS = 50;

interface Behind {
  /** What the log held then. */
  readonly end: Seq;
  readonly since: number;
}

export interface ReplicaLag {
  /** Of the replica that is farthest behind. */
  readonly positions: number;
  /** For how long it has not reached what the log held, ms; the longest. */
  readonly ms: number;
}

export class LagWatch {
  readonly #behind = new Map<RealmId, Behind>();
  #turn = 0;

  constructor(
    private readonly log: EventLog,
    private readonly tails: () => readonly RealmTail[],
    private readonly now: () => number,
  ) {}

  async look(): Promise<ReplicaLag> {
    const all = this.tails();
    const some = Array.from({ length: Math.min(MAX_LOOKS, all.length) }, (_, i) => all[(this.#turn + i) % all.length]!);
    this.#turn += some.length;
    const positions = await Promise.all(some.map((tail) => this.#lookAt(tail)));
    const now = this.now();
    return {
      positions: Math.max(0, ...positions),
      ms: Math.max(0, ...[...this.#behind.values()].map(({ since }) => now - since)),
    };
  }

  async #lookAt(tail: RealmTail): Promise<number> {
    let end: Seq;
    try {
      end = (await this.log.position(tail.realm)).end;
    } catch {
      // The log is away, which has a check of its own. What was not reached before isn't now.
      return 0;
    }
    const position = tail.reached;
    const before = this.#behind.get(tail.realm);
    if (position >= end) this.#behind.delete(tail.realm);
    else if (!before || position >= before.end) this.#behind.set(tail.realm, { end, since: this.now() });
    return Math.max(0, end - position);
  }
}
