import type { JsonObject } from '#base';
import { commandOf, type Fields, type Value } from './command.js';

const command = commandOf<'presence'>();

/** Position in the changes of one activation of the presence actor. */
export type PresenceCursor = {
  /** Names the activation. After a restart of the actor, everything is fetched again. */
  readonly source: string;
  readonly version: number;
};

export type ReadPresencesArgs = {
  /** Position up to which the asking process has the changes; null = none. */
  readonly known: PresenceCursor | null;
};

export type ReportPresenceArgs = ReadPresencesArgs & {
  readonly status: 'active' | 'idle';
  /** The reply need not hold the presences of others. */
  readonly pingOnly: boolean;
};

/** Commands of the presence actor of an organization. */
export const presenceCommands = {
  /** A client of the caller reports that it is there. */
  report: command<ReportPresenceArgs, Fields>('report'),
  /** What changed since `known`; for operations. */
  presences: command<ReadPresencesArgs, Fields>('presences'),
  /** The same for other actors. */
  presenceChanges: command<ReadPresencesArgs, Value<JsonObject>>('presence-changes'),
  /** The caller's setting `presence_enabled` has changed, at `at` (wall time, ms). */
  switched: command<{ readonly on: boolean; readonly at: number }>('switched'),
  /** Timer of the live side: write the changed times. */
  flush: command('flush'),
};
