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
  /** Position up to which the asking process has the changes of presences; null: it has none. */
  readonly known: PresenceCursor | null;
};

export type ReportPresenceArgs = ReadPresencesArgs & {
  readonly status: 'active' | 'idle';
  /** True if the reply need not hold the presences of other users. */
  readonly pingOnly: boolean;
};

/** Commands of the presence actor of an organization. */
export const presenceCommands = {
  /** A client reports that its user is active or idle. */
  report: command<ReportPresenceArgs, FieldsReply>('report'),
  /** Reads the changes of presences since `known`; for operations. */
  presences: command<ReadPresencesArgs, FieldsReply>('presences'),
  /** Reads the changes of presences since `known`; for other actors. */
  presenceChanges: command<ReadPresencesArgs, ValueReply<JsonObject>>('presence-changes'),
  /** The caller's setting `presence_enabled` was changed at `at` (wall time, ms). */
  switched: command<{ readonly on: boolean; readonly at: number }>('switched'),
  /** Timer of the sidecar: writes the times that changed. */
  flush: command('flush'),
};
