import type { JsonObject } from '#base';
import { commandOf, type FieldsReply, type ValueReply } from './command.js';

const command = commandOf<'presence'>();

/** Position in the changes of one activation of the presence actor. */
export type PresenceCursor = {
  /** Id of the activation. A position of another activation means nothing, so all presences are sent. */
  readonly source: string;
  readonly version: number;
};

export type ReadPresencesArgs = {
  /** Position up to which the asking process has the changes; null: none. */
  readonly known: PresenceCursor | null;
};

export type ReportPresenceArgs = ReadPresencesArgs & {
  readonly status: 'active' | 'idle';
  /** The reply need not hold the presences of others. */
  readonly pingOnly: boolean;
};

/** Commands of the presence actor of an organization. */
export const presenceCommands = {
  /** A client of the caller reports that its user is active or idle. */
  report: command<ReportPresenceArgs, FieldsReply>('report'),
  /** Changes since `known`; for operations. */
  presences: command<ReadPresencesArgs, FieldsReply>('presences'),
  /** Changes since `known`; for other actors. */
  presenceChanges: command<ReadPresencesArgs, ValueReply<JsonObject>>('presence-changes'),
  /** The caller's setting `presence_enabled` has changed, at `at` (wall time, ms). */
  switched: command<{ readonly on: boolean; readonly at: number }>('switched'),
  /** Timer of the sidecar: writes the changed times. */
  flush: command('flush'),
};
