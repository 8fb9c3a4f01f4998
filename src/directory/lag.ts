/** Measures how far replicas are behind the ends of their logs, for the metrics. */
import type { LogSeq, RealmId } from '#model';
import type { EventLog } from '#ports/log';
import type { RealmLogTail } from './tail.js';

/**
 * Maximum number of realms whose log position one measurement asks for. The next measurement continues with the others.
 */
const MAX_REALMS_PER_MEASUREMENT = 50;

interface LaggingReplica {
  /** End of the log when the replica was first seen behind. */
  readonly end: LogSeq;
  readonly since: number;
}

interface ReplicaLag {
  /** Number of log positions by which the slowest replica is behind. */
  readonly positions: number;
  /** Longest time for which a replica has not reached an end that was seen, ms. */
  readonly ms: number;
}

export class DirectoryReplicaLagMeter {
  readonly #laggingReplicaByRealm = new Map<RealmId, LaggingReplica>();
  #nextRealmIndex = 0;

  constructor(
    private readonly log: EventLog,
    private readonly tails: () => readonly RealmLogTail[],
    private readonly now: () => number,
  ) {}

  async measureLagOfNextRealms(): Promise<ReplicaLag> {
    const all = this.tails();
    const some = Array.from(
      { length: Math.min(MAX_REALMS_PER_MEASUREMENT, all.length) },
      (_, i) => all[(this.#nextRealmIndex + i) % all.length]!,
    );
    this.#nextRealmIndex += some.length;
    const positions = await Promise.all(some.map((tail) => this.#measureTailLag(tail)));
    const now = this.now();
    return {
      positions: Math.max(0, ...positions),
      ms: Math.max(0, ...[...this.#laggingReplicaByRealm.values()].map(({ since }) => now - since)),
    };
  }

  async #measureTailLag(tail: RealmLogTail): Promise<number> {
    let end: LogSeq;
    try {
      end = (await this.log.readBounds(tail.realm)).end;
    } catch {
      // The log can't be reached; a health check reports that. The replica's earlier delay is kept.
      return 0;
    }
    const position = tail.reachedEnd;
    const before = this.#laggingReplicaByRealm.get(tail.realm);
    if (position >= end) this.#laggingReplicaByRealm.delete(tail.realm);
    else if (!before || position >= before.end) this.#laggingReplicaByRealm.set(tail.realm, { end, since: this.now() });
    return Math.max(0, end - position);
  }
}
