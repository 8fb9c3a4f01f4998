/** Commands of the presence actor: reports of clients, reads, changes of settings (users.md § Presence). */

import { successReply, valueReply } from '#actors/shared';
import { type JsonObject, memoizeByObject } from '#base';
import { ROLE } from '#domain/people';
import { isPresenceHidden, OFFLINE_AFTER_SECONDS, type PresenceTimes, presenceEvent } from '#domain/presence';
import { type EventItem, userId } from '#model';
import type { ArgsOf, Command, PresenceCursor, presenceCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { ActorView, CommandDefinition, Outcome } from '#runtime';
import type { ActorServices } from '../services.js';
import type { PresenceMemory } from './presences.js';
import type { PresenceState } from './state.js';

type PresenceCommand<C extends Command<'presence'>> = CommandDefinition<
  PresenceState,
  ArgsOf<C>,
  undefined,
  PresenceMemory,
  ActorServices
>;

/** Minimum time between two stored times of a user, ms. Several windows of one user report presence each. */
const LEAST_CHANGE_MS = 55_000;
/** Maximum time between two reports of a present client, ms: clients report once a minute, and up to 10 s late. */
const REPORT_MS = 70_000;
/**
 * Time of inactivity after which a user's return is published at once, ms: the user may already look offline to others.
 * Clients show a user as offline after 200 s; less one interval of reports this is 130 s.
 */
const CAME_BACK_MS = OFFLINE_AFTER_SECONDS * 1_000 - REPORT_MS;
/**
 * Maximum number of active accounts for which presence events are emitted. In larger organizations, clients get
 * presences as replies to their own reports.
 */
const MAX_ACCOUNTS_FOR_EVENTS = 100;

interface Reading extends JsonObject {
  /** Version of the presences that the asking process already has; null: it has none. */
  readonly known: PresenceCursor | null;
}

interface Report extends Reading {
  readonly status: 'active' | 'idle';
  /** True if the client wants no presences of others. */
  readonly pingOnly: boolean;
}

/** A client's report: changes memory only. The very first one also creates the root, which a flush needs. */
export const reportPresenceHandler: PresenceCommand<typeof presenceCommands.report> = {
  creates: true,
  handle(view, { status, pingOnly, known }, _inputs, { caller, directory, now }) {
    const { state, volatile } = view;
    const user = directory.user(userId(caller));
    const transient: EventItem[] = [];
    if (user && !isPresenceHidden(directory, user)) {
      const before = volatile.of(caller);
      const after = reportedAt(before, status, now);
      if (after !== before) volatile.set(caller, after);
      if (isNews(before, status, now) && !isCrowd(directory)) {
        const to = { role: ROLE.guest, rv: directory.version };
        transient.push({ t: 'event', to, event: presenceEvent(user, after, now) });
      }
    }
    return {
      reply: pingOnly ? successReply() : successReply(volatile.since(known)),
      ...(transient.length > 0 ? { transient } : {}),
      ...(state.made ? {} : written(view)),
    };
  },
};

function reportedAt(before: PresenceTimes | undefined, status: Report['status'], now: number): PresenceTimes {
  if (!before) return { active: status === 'active' ? now : null, connected: now };
  const due = (time: number | null): boolean => now - (time ?? 0) > LEAST_CHANGE_MS;
  const active = status === 'active' && due(before.active) ? now : before.active;
  const connected = due(before.connected) ? now : before.connected;
  return active === before.active && connected === before.connected ? before : { active, connected };
}

const isNews = (before: PresenceTimes | undefined, status: Report['status'], now: number): boolean =>
  !before || (status === 'active' && now - (before.active ?? 0) > CAME_BACK_MS);

/** True if the organization has too many active accounts for events; counted once for each change of the accounts. */
const isCrowd = memoizeByObject(
  (directory: DirectoryView) => {
    let active = 0;
    for (const user of directory.users()) if (user.isActive) active++;
    return active > MAX_ACCOUNTS_FOR_EVENTS;
  },
  ({ usersVersion }) => usersVersion,
);

/** The changes in memory since the last flush, as parts to write. */
const written = ({ state, volatile }: ActorView<PresenceState, PresenceMemory>): Partial<Outcome<PresenceState>> => ({
  state: { ...state, made: true },
  parts: volatile.flush(),
});

/** Replies to API operations with the presences that changed. */
export const readPresencesHandler: PresenceCommand<typeof presenceCommands.presences> = {
  creates: true,
  lane: 'read',
  read: true,
  handle: ({ volatile }, { known }) => ({ reply: successReply(volatile.since(known)) }),
};

/** Replies to other actors with the presences that changed. */
export const readPresenceChangesHandler: PresenceCommand<typeof presenceCommands.presenceChanges> = {
  creates: true,
  lane: 'read',
  read: true,
  handle: ({ volatile }, { known }) => ({ reply: valueReply(volatile.since(known)) }),
};

/** Applies a changed user setting `presence_enabled`. The realm actor sends this command after its own event. */
export const applyPresenceSettingHandler: PresenceCommand<typeof presenceCommands.switched> = {
  creates: true,
  handle(view, { on, at }, _inputs, { caller }) {
    const { volatile } = view;
    const before = volatile.of(caller);
    if (!on) volatile.remove(caller);
    else if ((before?.active ?? 0) < at) volatile.set(caller, { active: at, connected: at });
    return { reply: valueReply(null), ...written(view) };
  },
};

/** Writes the changed times to the Store. The sidecar's timer sends this command. */
export const flushPresencesHandler: PresenceCommand<typeof presenceCommands.flush> = {
  handle: (view) => ({ reply: valueReply(null), ...(view.volatile.dirty ? written(view) : {}) }),
};
