/** Stored state of an event queue: its registration and what its client has acknowledged. The events are in the log. */

import type { JsonObject } from '#base';
import { type ActorKey, parseActorKey } from '#model';
import type { EventQueueOptions } from '#model/commands';

/** Stored field `covers`: commits that the registration's snapshot contains, as actor → version. */
type SnapshotCommitVersions = { readonly [actor: string]: number };

/** Stored field `shows`: messages that the registration's snapshot has counted. */
export interface SnapshotCountedMessages extends JsonObject {
  /** Id up to which every message was counted, by stream id. */
  readonly streams: { readonly [stream: string]: number };
  /** Direct messages that were counted: every one up to an id, and these recent ones. */
  readonly direct: { readonly upTo: number; readonly recent: readonly number[] };
}

export interface EventQueueActorState extends JsonObject {
  readonly phase: string;
  readonly user: number;
  readonly options: EventQueueOptions;
  /** Log position at which the queue started. */
  readonly start: number;
  /** Log position up to which the snapshot's lists of subscribers show every change. */
  readonly listed?: number;
  /** Highest acknowledged event id at the last checkpoint; -1 before the first. */
  readonly acked: number;
  /** Log position below which nothing waited for the client at the last checkpoint. */
  readonly position: number;
  /** Time without a sign of life of the client after which the queue is collected, ms. */
  readonly lifespanMs: number;
  /** Versions of the commits whose events the queue leaves out, by actor. */
  readonly covers: SnapshotCommitVersions;
  /** Messages whose events the queue leaves out, as the client would count them twice. null = none were counted. */
  readonly shows: SnapshotCountedMessages | null;
  /** Incarnation of the log when the queue was registered. */
  readonly incarnation: string;
  /** Wall time of the client's last sign of life at the last checkpoint, ms. */
  readonly active: number;
  /** True if a poll was waiting at the last checkpoint, so the client was present for longer than `active` says. */
  readonly held?: boolean;
}

/**
 * Maximum age of the client's last sign of life in the Store (`active`) while a poll waits, ms. A checkpoint then
 * renews it.
 */
export const MAX_EVENT_QUEUE_ACTIVITY_LAG_MS = 3_600_000;

/**
 * Latest wall time (ms) at which the client may have given a sign of life. If a poll waited at the last checkpoint, the
 * client may have stayed until the takeover, but counts for at most MAX_EVENT_QUEUE_ACTIVITY_LAG_MS after `active`.
 *
 * @param takenOver wall time at which this host became the owner
 */
export const latestPossibleClientActivityTime = (
  { active, held }: Pick<EventQueueActorState, 'active' | 'held'>,
  takenOver: number,
): number => (held ? Math.max(active, Math.min(takenOver, active + MAX_EVENT_QUEUE_ACTIVITY_LAG_MS)) : active);

/** Id of a queue as clients know it: the last part of the actor's key. */
export function eventQueueIdOfActorKey(key: ActorKey): string {
  const { idWithinRealm } = parseActorKey(key);
  return idWithinRealm.slice(idWithinRealm.indexOf('/') + 1);
}
