/** Persisted state of an event queue: registration and acknowledged position. Events themselves are in the log. */
import type { JsonObject } from '#base';
import type { QueueEnd, QueueOptions } from '#model/commands';
import type { ShownMessages } from './snapshot/message-sections.js';

export interface QueueState extends JsonObject {
  readonly phase: string;
  readonly user: number;
  readonly options: QueueOptions;
  /** Log position at which the queue starts. */
  readonly start: number;
  /** Log position up to which the lists of subscribers in the answer to the registration show everything. */
  readonly listed?: number;
  /** Highest acknowledged event id, as last written; -1 before the first. */
  readonly acked: number;
  /** Log position below which nothing waits for the client, as last written. */
  readonly position: number;
  /** Milliseconds. */
  readonly lifespanMs: number;
  /** Commits that the snapshot of the registration contains: actor → version. */
  readonly covers: { readonly [actor: string]: number };
  /** Messages that the snapshot contains, whose events it must not get again. */
  readonly shows: ShownMessages | null;
  /** Of the log, when the queue was made. */
  readonly incarnation: string;
  /** Wall time of the last client activity, as last written; ms. */
  readonly active: number;
  /** A poll waited when this was written: the client was there for longer than `active` says. */
  readonly held?: boolean;
}

/** While a poll waits, `active` is written at least this often. */
export const HELD_LAG_MS = 3_600_000;

/** As far as anybody can know, the client was there until this time: never less than its lifespan is left to a queue. */
export const activeUntil = ({ active, held }: Pick<QueueState, 'active' | 'held'>, taken: number): number =>
  held ? Math.max(active, Math.min(taken, active + HELD_LAG_MS)) : active;

/** Shared by the handlers and the live side; lost with the activation. */
export interface QueueVolatile {
  acked: number;
  position: number;
  active: number;
  /** A poll waits. */
  polling: boolean;
  /** Wall time since which its host is its owner: a queue that came here with a crash gets some time to be found by its client. */
  readonly since: number;
  /** Its end was decided, and is being written. */
  ended: QueueEnd | false;
}
