/** Reports of clients, and what settings change (users.md § Presence). */

import { success, value } from '#actors/shared';
import type { JsonObject } from '#base';
import { madeOnce } from '#base';
import { ROLE } from '#domain/people';
import type { PresenceTimes } from '#domain/presence';
import { hidesPresence, presenceEvent } from '#domain/presence';
import type { PlainItem } from '#model';
import { userId } from '#model';
import type { ArgsOf, Command, PresenceKnown, presenceCommands } from '#model/commands';
import type { DirectoryView } from '#model/records';
import type { CommandDefinition, Outcome, View } from '#runtime';
import type { Presences } from './presences.js';
import type { PresenceState } from './state.js';

type PresenceCommand<C extends Command<'presence'>> = CommandDefinition<PresenceState, ArgsOf<C>, undefined, Presences>;

/** Times are changed at most this often: several windows of one user report each. */
const LEAST_CHANGE_MS = 55_000;
/** Whoever was not active for longer seems to be away to others: offline after 200 s, less a report and some delay. */
const CAME_BACK_MS = 130_000;
/** With more active accounts than this nobody is told: clients hear of each other when they report themselves. */
const MOST_TOLD = 100;

interface Reading extends JsonObject {
  /** What the asking process knows already; null = nothing. */
  readonly known: PresenceKnown | null;
}

interface Report extends Reading {
  readonly status: 'active' | 'idle';
  /** Nobody waits for the others' presences. */
  readonly pingOnly: boolean;
}

/** A report changes memory only; the first of all makes the root, without which there is nothing to flush to. */
export const report: PresenceCommand<typeof presenceCommands.report> = {
  creates: true,
  handle(view, { status, pingOnly, known }, _inputs, { caller, directory, now }) {
    const { state, volatile } = view;
    const user = directory.user(userId(caller));
    const transient: PlainItem[] = [];
    if (user && !hidesPresence(directory, user)) {
      const before = volatile.of(caller);
      const after = reportedAt(before, status, now);
      if (after !== before) volatile.set(caller, after);
      if (isNews(before, status, now) && !isCrowd(directory)) {
        const to = { role: ROLE.guest, rv: directory.version };
        transient.push({ t: 'event', to, event: presenceEvent(user, after, now) });
      }
    }
    return {
      reply: pingOnly ? success() : success(volatile.since(known)),
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

/** Counted once for each change of the accounts. */
const isCrowd = madeOnce(
  (directory: DirectoryView) => {
    let active = 0;
    for (const user of directory.users()) if (user.isActive) active++;
    return active > MOST_TOLD;
  },
  ({ usersVersion }) => usersVersion,
);

/** What memory knows beyond the stored parts. */
const written = ({ state, volatile }: View<PresenceState, Presences>): Partial<Outcome<PresenceState>> => ({
  state: { ...state, made: true },
  parts: volatile.flush(),
});

/** For operations. */
export const presences: PresenceCommand<typeof presenceCommands.presences> = {
  creates: true,
  lane: 'read',
  read: true,
  handle: ({ volatile }, { known }) => ({ reply: success(volatile.since(known)) }),
};

/** For other actors. */
export const presenceChanges: PresenceCommand<typeof presenceCommands.presenceChanges> = {
  creates: true,
  lane: 'read',
  read: true,
  handle: ({ volatile }, { known }) => ({ reply: value(volatile.since(known)) }),
};

/** From the realm actor, whose commit has told everybody: the setting `presence_enabled` has changed. */
export const switched: PresenceCommand<typeof presenceCommands.switched> = {
  creates: true,
  handle(view, { on, at }, _inputs, { caller }) {
    const { volatile } = view;
    const before = volatile.of(caller);
    if (!on) volatile.remove(caller);
    else if ((before?.active ?? 0) < at) volatile.set(caller, { active: at, connected: at });
    return { reply: value(null), ...written(view) };
  },
};

/** The live side found that it is time. */
export const flush: PresenceCommand<typeof presenceCommands.flush> = {
  handle: (view) => ({ reply: value(null), ...(view.volatile.dirty ? written(view) : {}) }),
};
