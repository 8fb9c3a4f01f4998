/** Effects on presence: of the setting `presence_enabled` (users.md § PATCH /settings), and of a deactivation. */

import { makePresenceEvent } from '#domain/presence';
import { type LogItem, presenceActorKey, toRealmId } from '#model';
import { makeOutboxCommand, type OutboxCommand, presenceActorCommands } from '#model/commands';
import type { DirectoryUser, UserStatus } from '#model/records';
import type { CommandContext } from '#runtime';
import { makeEveryoneEventLogItem } from '../../log-items.js';

/**
 * Time by which a user who hides their presence seems to have been last connected, ms: longer than the time after which
 * users count as offline.
 */
const HIDDEN_PRESENCE_AGE_MS = 320_000;

interface PresenceSwitchCommit {
  /** The user's new status, present if the change of the setting changes it. */
  readonly status?: UserStatus;
  readonly events: readonly LogItem[];
  readonly commands: readonly OutboxCommand[];
}

/** Command that shows the user as present, or drops the user's presence. */
export const makePresenceSwitchCommand = (
  user: DirectoryUser,
  on: boolean,
  { realm, now, version }: CommandContext,
): OutboxCommand =>
  makeOutboxCommand({
    to: presenceActorKey(toRealmId(realm)),
    name: presenceActorCommands.switched,
    args: { on, at: now },
    caller: user.id,
    after: version,
  });

/**
 * Effect of changing the setting. The presence event goes to all users and through the log, whatever the size of the
 * organization, because it follows from a changed setting.
 */
export function makePresenceSwitchCommit(
  user: DirectoryUser,
  status: UserStatus | undefined,
  on: boolean,
  context: CommandContext,
): PresenceSwitchCommit {
  const { now, version } = context;
  const connected = on ? now : now - HIDDEN_PRESENCE_AGE_MS;
  const active = on ? now : 0;
  const event = makeEveryoneEventLogItem(version, makePresenceEvent(user, { active, connected }, now));
  const command = makePresenceSwitchCommand(user, on, context);
  // A user who shows their presence again is no longer away.
  if (!on || !status?.away) return { events: [event], commands: [command] };
  const back = makeEveryoneEventLogItem(version, { type: 'user_status', user_id: user.id, away: false });
  return { status: { ...status, away: false }, events: [event, back], commands: [command] };
}
