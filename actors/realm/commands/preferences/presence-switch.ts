/** Effect of changing the setting `presence_enabled` (users.md § PATCH /settings). */

import { presenceEvent } from '#domain/presence';
import { type LogItem, presenceKey, realmId } from '#model';
import { type OutboxCommand, outboxCommand, presenceCommands } from '#model/commands';
import type { DirectoryUser, UserStatus } from '#model/records';
import type { CommandContext } from '#runtime';
import { eventToAll } from '../../log-items.js';

/**
 * A user who hides appears as last connected this long ago: longer than the time after which users count as offline.
 */
const HIDDEN_SINCE_MS = 320_000;

interface PresenceSwitch {
  /** Present if the status changes too. */
  readonly status?: UserStatus;
  readonly events: readonly LogItem[];
  readonly commands: readonly OutboxCommand[];
}

/** The event goes to all users and through the log, whatever their number, because a setting changes it. */
export function presenceSwitchEffect(
  user: DirectoryUser,
  status: UserStatus | undefined,
  on: boolean,
  { realm, now, version }: CommandContext,
): PresenceSwitch {
  const connected = on ? now : now - HIDDEN_SINCE_MS;
  const active = on ? now : 0;
  const event = eventToAll(version, presenceEvent(user, { active, connected }, now));
  const command: OutboxCommand = outboxCommand({
    to: presenceKey(realmId(realm)),
    name: presenceCommands.switched,
    args: { on, at: now },
    caller: user.id,
    after: version,
  });
  // Showing one's presence again ends being away.
  if (!on || !status?.away) return { events: [event], commands: [command] };
  const back = eventToAll(version, { type: 'user_status', user_id: user.id, away: false });
  return { status: { ...status, away: false }, events: [event, back], commands: [command] };
}
