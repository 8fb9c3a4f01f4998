/** Commands of the presence actor: reports of clients, reads, changes of settings (users.md § Presence). */

import { makeSuccessReply, makeValueReply } from '#actors/shared';
import { type JsonObject, memoizeByObject } from '#base';
import { USER_ROLE } from '#domain/people';
import {
  isPresenceHidden,
  makePresenceEvent,
  PRESENCE_OFFLINE_AFTER_SECONDS,
  type PresenceTimes,
} from '#domain/presence';
import { type EventLogItem, toUserId } from '#model';
import type { ActorCommandName, ArgsOfCommand, PresenceChangesCursor, presenceActorCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { ActorView, CommandDefinition, CommandOutcome } from '#runtime';
import type { ActorServices } from '../services.js';
import type { PresenceMemory } from './presences.js';
import type { PresenceActorState } from './state.js';

type PresenceCommandHandler<C extends ActorCommandName<'presence'>> = CommandDefinition<
  PresenceActorState,
  ArgsOfCommand<C>,
  undefined,
  PresenceMemory,
  ActorServices
>;

/** Minimum time between two stored times of a user, ms. Several windows of one user report presence each. */
const MIN_PRESENCE_TIME_ADVANCE_MS = 55_000;
/** Maximum time between two reports of a present client, ms: clients report once a minute, and up to 10 s late. */
const MAX_PRESENCE_REPORT_INTERVAL_MS = 70_000;
/**
 * Time of inactivity after which a user's return is published at once, ms: the user may already look offline to others.
 * Clients show a user as offline after 200 s; less one interval of reports this is 130 s.
 */
const MIN_INACTIVITY_BEFORE_RETURN_MS = PRESENCE_OFFLINE_AFTER_SECONDS * 1_000 - MAX_PRESENCE_REPORT_INTERVAL_MS;
/**
 * Maximum number of active accounts for which presence events are emitted. In larger organizations, clients get
 * presences as replies to their own reports.
 */
const MAX_ACCOUNTS_FOR_PRESENCE_EVENTS = 100;

interface PresenceReadArgs extends JsonObject {
  /** Version of the presences that the asking process already has; null: it has none. */
  readonly known: PresenceChangesCursor | null;
}

interface PresenceReportArgs extends PresenceReadArgs {
  readonly status: 'active' | 'idle';
  /** True if the client wants no presences of others. */
  readonly pingOnly: boolean;
}

/** A client's report: changes memory only. The very first one also creates the root, which a flush needs. */
export const reportPresenceHandler: PresenceCommandHandler<typeof presenceActorCommands.report> = {
  creates: true,
  handle(view, { status, pingOnly, known }, _inputs, { caller, directory, now }) {
    const { state, volatile } = view;
    const user = directory.user(toUserId(caller));
    const transient: EventLogItem[] = [];
    if (user?.isActive && !isPresenceHidden(directory, user)) {
      const before = volatile.presenceTimesOf(caller);
      const after = computeAdvancedPresenceTimes(before, status, now);
      if (after !== before) volatile.setPresenceTimes(caller, after);
      if (isFirstReportOrReturn(before, status, now) && !hasTooManyAccountsForPresenceEvents(directory)) {
        const to = { role: USER_ROLE.guest, rv: directory.version };
        transient.push({ t: 'event', to, event: makePresenceEvent(user, after, now) });
      }
    }
    return {
      reply: pingOnly ? makeSuccessReply() : makeSuccessReply(volatile.listChangesSinceOrAll(known)),
      ...(transient.length > 0 ? { transient } : {}),
      ...(state.made ? {} : takeUnsavedPresencesOutcome(view)),
    };
  },
};

function computeAdvancedPresenceTimes(
  before: PresenceTimes | undefined,
  status: PresenceReportArgs['status'],
  now: number,
): PresenceTimes {
  if (!before) return { active: status === 'active' ? now : null, connected: now };
  // A time later than now is due, too: the clock was ahead, and is corrected by now.
  const due = (time: number | null): boolean => Math.abs(now - (time ?? 0)) > MIN_PRESENCE_TIME_ADVANCE_MS;
  const active = status === 'active' && due(before.active) ? now : before.active;
  const connected = due(before.connected) ? now : before.connected;
  return active === before.active && connected === before.connected ? before : { active, connected };
}

const isFirstReportOrReturn = (
  before: PresenceTimes | undefined,
  status: PresenceReportArgs['status'],
  now: number,
): boolean => !before || (status === 'active' && now - (before.active ?? 0) > MIN_INACTIVITY_BEFORE_RETURN_MS);

/**
 * True if the organization has too many active accounts for events; counted once for each change of the accounts, and
 * no further than to the limit.
 */
const hasTooManyAccountsForPresenceEvents = memoizeByObject(
  (directory: DirectoryView) => {
    let active = 0;
    for (const user of directory.users()) if (user.isActive && ++active > MAX_ACCOUNTS_FOR_PRESENCE_EVENTS) return true;
    return false;
  },
  ({ usersVersion }) => usersVersion,
);

/** The changes in memory since the last flush, as parts to write. */
const takeUnsavedPresencesOutcome = ({
  state,
  volatile,
}: ActorView<PresenceActorState, PresenceMemory>): Partial<CommandOutcome<PresenceActorState>> => ({
  state: { ...state, made: true },
  parts: volatile.takeUnsavedParts(),
});

/** Replies to API operations with the presences that changed. */
export const readPresenceChangesForApiHandler: PresenceCommandHandler<typeof presenceActorCommands.presences> = {
  creates: true,
  lane: 'read',
  read: true,
  handle: ({ volatile }, { known }) => ({ reply: makeSuccessReply(volatile.listChangesSinceOrAll(known)) }),
};

/** Replies to other actors with the presences that changed. */
export const readPresenceChangesForActorsHandler: PresenceCommandHandler<typeof presenceActorCommands.presenceChanges> =
  {
    creates: true,
    lane: 'read',
    read: true,
    handle: ({ volatile }, { known }) => ({ reply: makeValueReply(volatile.listChangesSinceOrAll(known)) }),
  };

/**
 * Applies a changed user setting `presence_enabled`, or a deactivation of the account, which counts as off. The realm
 * actor sends this command after its own event.
 */
export const applyPresenceSettingHandler: PresenceCommandHandler<typeof presenceActorCommands.switched> = {
  creates: true,
  handle(view, { on, at }, _inputs, { caller }) {
    const { volatile } = view;
    const before = volatile.presenceTimesOf(caller);
    if (!on) volatile.removePresenceTimes(caller);
    else if ((before?.active ?? 0) < at) volatile.setPresenceTimes(caller, { active: at, connected: at });
    return { reply: makeValueReply(null), ...takeUnsavedPresencesOutcome(view) };
  },
};

/** Writes the changed times to the Store. The sidecar's timer sends this command. */
export const flushPresencesHandler: PresenceCommandHandler<typeof presenceActorCommands.flush> = {
  handle: (view) => ({
    reply: makeValueReply(null),
    ...(view.volatile.hasUnsavedChanges ? takeUnsavedPresencesOutcome(view) : {}),
  }),
};
