import type { JsonObject } from '#base';
import { type ActorFieldsReply, type ActorValueReply, makeCommandDeclarer } from './command.js';

const declareCommand = makeCommandDeclarer<'presence'>();

/** Position in the sequence of changes that one activation of the presence actor has seen. */
export type PresenceChangesCursor = {
  /** Id of the activation. A position from another activation has no meaning, so all presences are sent. */
  readonly source: string;
  readonly version: number;
};

export type ReadPresencesArgs = {
  /** Position up to which the asking process has the changes of presences; null if it has none. */
  readonly known: PresenceChangesCursor | null;
};

export type ReportPresenceArgs = ReadPresencesArgs & {
  readonly status: 'active' | 'idle';
  /** True if the reply need not contain the presences of other users. */
  readonly pingOnly: boolean;
};

/** Commands of the presence actor of an organization. */
export const presenceActorCommands = {
  /** Records that a client has reported its user as active or idle. */
  report: declareCommand<ReportPresenceArgs, ActorFieldsReply>('report'),
  /** Reads the changes of presences since `known`; sent by operations of the API. */
  presences: declareCommand<ReadPresencesArgs, ActorFieldsReply>('presences'),
  /** Reads the changes of presences since `known`; sent by other actors. */
  presenceChanges: declareCommand<ReadPresencesArgs, ActorValueReply<JsonObject>>('presence-changes'),
  /**
   * Records that the caller's setting `presence_enabled` was changed at `at` (wall time, ms), or, as off, that the
   * caller's account was deactivated.
   */
  switched: declareCommand<{ readonly on: boolean; readonly at: number }>('switched'),
  /** Sent by the timer of the sidecar: writes the presence times that changed. */
  flush: declareCommand('flush'),
};
