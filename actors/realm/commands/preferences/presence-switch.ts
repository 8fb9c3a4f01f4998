/** What comes of changing the setting `presence_enabled` (users.md § PATCH /settings). */

import { presenceEvent } from '#domain/presence';
import type { LogItem } from '#model';
import { presenceKey, realmId } from '#model';
import type { OutboxCommand } from '#model/commands';
import { outboxCommand, presenceCommands } from '#model/commands';
import type { DirectoryUser, UserStatus } from '#model/records';
import type { CommandContext } from '#runtime';
import { eventToAll } from '../../log-items.js';

/** Whoever hides was last here so long ago: beyond the time after which one is offline. */
const HIDDEN_SINCE_MS = 320_000;

interface PresenceSwitch {
  /** Where it changes with the setting. */
  readonly status?: UserStatus;
  readonly events: readonly LogItem[];
  readonly commands: readonly OutboxCommand[];
}

/** Everybody is told, however many there are, and by the log: it is the change of a setting, and no report. */
export function switchPresence(
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
  // Whoever can be seen again is not away.
  if (!on || !status?.away) return { events: [event], commands: [command] };
  const back = eventToAll(version, { type: 'user_status', user_id: user.id, away: false });
  return { status: { ...status, away: false }, events: [event, back], commands: [command] };
}
